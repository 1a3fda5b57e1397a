import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

extension Shop {
    /// Another caller, by default a manager (level 4) of alice's tenant.
    func caller(_ user: String, tenant: String = "tenant-a", level: Int = 4) throws -> Caller {
        Caller(server: server, token: try TestApplication.token(tenant: tenant, user: user, level: level))
    }

    /// How many rows `rest` finds: `Count("deals WHERE status = 'won'")`.
    func count(_ rest: String) throws -> Int { try server.count(rest) }
}

extension Shop.Caller {
    /// Makes a row and returns its id. Fails the test if it is refused.
    func make(_ target: String, _ body: String) async throws -> String {
        let response = try await send(.post, target, body)
        #expect(response.status == .created, "\(target) \(body): \(response.text)")
        return try JSONParser.parse(response.body)["id"]?.string ?? ""
    }

    /// The answer as the app decodes it.
    func decode<Value: Decodable>(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String = "",
        is status: Status = .ok
    ) async throws -> Value {
        let headers: [(Headers.Name, String)] = [("Content-Type", "application/json"), ("X-Client", "printyx-ios")]
        let response = try await send(method, target, body, headers: headers)
        #expect(response.status == status, "\(method.rawValue) \(target): \(response.text)")
        return try AppCoding.decoder.decode(Value.self, from: Data(response.body))
    }

    /// Expects a 400 or 409 that names `field`.
    func expectRefusal(of field: String, _ method: SwiftletHTTP.Method, _ target: String, _ body: String) async throws {
        let response = try await send(method, target, body)
        #expect([.badRequest, .conflict].contains(response.status), "\(body): \(response.text)")
        let error = try AppCoding.decoder.decode(AppError.self, from: Data(response.body))
        let details = try JSONParser.parse(response.body)["details"]
        #expect(details?[field]?.string?.isEmpty == false, "\(body) names \(String(describing: error.details))")
    }
}
