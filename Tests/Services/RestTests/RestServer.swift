import SwiftletAuth
import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

/// `/rest/v1` over a small studio: clients with projects, tasks with labels, a view, functions, and notes of users under
/// row policies.
struct RestServer {
    let application: TestApplication

    static let ada = "11111111-1111-4111-8111-111111111111"
    static let bob = "22222222-2222-4222-8222-222222222222"

    /// `schema` is a file beside this one; `sql` comes on top of it.
    static func with(
        schema: String = "studio.sql",
        _ change: (inout RestSettings) -> Void = { _ in },
        sql: String = "",
        _ body: (RestServer) async throws -> Void
    ) async throws {
        var settings = RestSettings()
        change(&settings)
        let chosen = settings
        let application = try await TestApplication.start(sql: Self.text(of: schema) + sql) { parts in
            let authentication = Authentication(verifier: parts.verifier)
            return [RestAPI(database: parts.database, authentication: authentication, settings: chosen).function]
        }
        do {
            try await body(RestServer(application: application))
        } catch {
            await application.stop()
            throw error
        }
        await application.stop()
    }

    /// A token of a signed-in user, or of a role.
    static func token(
        _ subject: String? = nil,
        role: String = "authenticated",
        tenant: String? = nil
    ) throws -> String {
        let sub = subject.map { #""sub":"\#($0)","# } ?? ""
        let metadata = tenant.map { #""app_metadata":{"tenant_id":"\#($0)"},"# } ?? ""
        let payload = #"{\#(sub)\#(metadata)"role":"\#(role)","iat":1700000000,"exp":4000000000}"#
        return try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
    }

    func send(
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: String = "",
        as subject: String? = nil,
        role: String = "service_role",
        _ headers: KeyValuePairs<Headers.Name, String> = [:]
    ) async throws -> Response {
        let token = try subject.map { try Self.token($0) } ?? Self.token(role: role)
        return try await application.send(
            method,
            "/rest/v1/\(path)",
            token: token,
            body,
            headers: headers.map { ($0.key, $0.value) }
        )
    }

    /// The body of a GET, which must succeed.
    func get(
        _ path: String,
        as subject: String? = nil,
        _ headers: KeyValuePairs<Headers.Name, String> = [:]
    ) async throws -> JSONValue {
        let response = try await send(.get, path, "", as: subject, headers)
        #expect(response.status.rawValue < 300, "\(path): \(response.text)")
        return try JSONParser.parse(response.body)
    }

    private static func text(of file: String) throws -> String {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: file)
        return try String(contentsOf: file, encoding: .utf8)
    }
}
