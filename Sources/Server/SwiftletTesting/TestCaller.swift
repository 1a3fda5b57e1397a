package import SwiftletHTTP
package import SwiftletJSON
import SwiftletWeb

/// Somebody with a token, who asks a server.
package struct TestCaller: Sendable {
    package let server: TestApplication
    package let token: String

    package init(server: TestApplication, token: String) {
        self.server = server
        self.token = token
    }

    package func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String = "",
        headers: [(Headers.Name, String)] = []
    ) async throws -> Response {
        try await server.send(method, target, token: token, body, headers: headers)
    }

    package func send(
        _ method: SwiftletHTTP.Method,
        _ target: String,
        bytes: [UInt8],
        headers: [(Headers.Name, String)] = []
    ) async throws -> Response {
        try await server.send(method, target, token: token, bytes, headers: headers)
    }

    /// The response's JSON.
    package func json(_ method: SwiftletHTTP.Method, _ target: String, _ body: String = "") async throws -> JSONValue {
        try JSONParser.parse(try await send(method, target, body).body)
    }
}
