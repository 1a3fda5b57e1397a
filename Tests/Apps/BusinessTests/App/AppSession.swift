import SwiftletEventLoop
import Foundation
import FoundationNetworking
import SwiftletHTTP
import SwiftletHTTPServer
import SwiftletJSON
import SwiftletTesting
import Testing
import SwiftletWeb

/// The app on a phone: its paths, its headers, its decoder, over a real connection.
struct AppSession: Sendable {
    private let port: Int
    private let token: String
    private let session: URLSession

    /// A server with the functions and a database of its own, and the app signed in as a manager.
    static func with(_ body: (AppSession, Shop) async throws -> Void) async throws {
        try await Shop.with { shop in
            let application = shop.server.application
            var configuration = HTTPServerConfiguration()
            configuration.port = 0
            let handler = HTTPHandler(
                respond: { await application.respond(to: $0) },
                streamingLimit: { application.streamingLimit(of: $0) },
                refuse: { Response(status: $0.status) }
            )
            let server = try HTTPServer.start(configuration, on: shop.server.group, handler: handler)
            let session = URLSession(configuration: .ephemeral)
            do {
                let token = try shop.caller("rep", level: 4).token
                try await body(AppSession(port: server.localPort, token: token, session: session), shop)
            } catch {
                session.invalidateAndCancel()
                await server.shutdown(grace: .zero)
                throw error
            }
            session.invalidateAndCancel()
            await server.shutdown(grace: .zero)
        }
    }

    /// The answer's bytes, whose status must be `status`.
    @discardableResult
    func send(
        _ method: String,
        _ path: String,
        _ body: String = "",
        type: String = "application/json",
        is status: Int = 200
    ) async throws -> Data {
        guard let url = URL(string: "http://127.0.0.1:\(port)/api\(path)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.setValue(type, forHTTPHeaderField: "Content-Type")
        request.setValue("printyx-ios", forHTTPHeaderField: "X-Client")
        request.setValue(UUID().uuidString, forHTTPHeaderField: "X-Request-ID")
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        if !body.isEmpty { request.httpBody = Data(body.utf8) }
        let (data, response) = try await session.data(for: request)
        let answer = (response as? HTTPURLResponse)?.statusCode
        #expect(answer == status, "\(method) \(path): \(String(decoding: data.prefix(500), as: UTF8.self))")
        return data
    }

    /// The answer as the app's model.
    func call<Value: Decodable>(
        _ method: String,
        _ path: String,
        _ body: String = "",
        is status: Int = 200
    ) async throws -> Value {
        try AppCoding.decoder.decode(Value.self, from: await send(method, path, body, is: status))
    }

    /// What the app asks a list for, on every page of it.
    func list<Item: Decodable>(_ path: String, _ query: String = "") async throws -> [Item] {
        let page: AppPage<Item> = try await call("GET", "\(path)?page=1&limit=25\(query.isEmpty ? "" : "&\(query)")")
        return page.data
    }
}
