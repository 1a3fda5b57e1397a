import Functions
import HTTP
import JSON
import Storage
import SwiftletTesting
import Web

/// Two tenants on one database, and a caller in each.
struct Shop: Sendable {
    let server: TestApplication
    let alice: Caller
    let bob: Caller

    struct Caller: Sendable {
        let server: TestApplication
        let token: String

        func send(
            _ method: Method,
            _ target: String,
            _ body: String = "",
            headers: [(Headers.Name, String)] = []
        ) async throws -> Response {
            try await server.send(method, target, token: token, body, headers: headers)
        }

        func send(
            _ method: Method,
            _ target: String,
            bytes: [UInt8],
            headers: [(Headers.Name, String)] = []
        ) async throws -> Response {
            try await server.send(method, target, token: token, bytes, headers: headers)
        }

        /// The answer's JSON.
        func json(_ method: Method, _ target: String, _ body: String = "") async throws -> JSONValue {
            try JSONParser.parse(try await send(method, target, body).body)
        }

        /// Makes a task and returns its id.
        func makeTask(_ title: String = "Call back", _ more: String = "") async throws -> String {
            let task = try await json(.post, "/tasks", #"{"title":"\#(title)"\#(more)}"#)
            return task["id"]?.string ?? ""
        }
    }

    static func with(storage: ObjectStorage? = nil, _ body: (Shop) async throws -> Void) async throws {
        try await TestApplication.with(functions, storage: storage) { server in
            let shop = Shop(
                server: server,
                alice: Caller(server: server, token: try TestApplication.token(tenant: "tenant-a", user: "alice")),
                bob: Caller(server: server, token: try TestApplication.token(tenant: "tenant-b", user: "bob"))
            )
            try await body(shop)
        }
    }
}
