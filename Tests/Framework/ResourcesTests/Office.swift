import SwiftletHTTP
import SwiftletJSON
import Swiftlet
import SwiftletTesting
import SwiftletWeb

/// An application with a test's own functions and tables, asked by people of two tenants and several levels.
struct Office {
    let server: TestApplication

    struct Person {
        let name: String
        let tenant: String
        let level: Int

        static let ann = Person(name: "ann", tenant: "a", level: 1)
        static let abe = Person(name: "abe", tenant: "a", level: 1)
        static let boss = Person(name: "boss", tenant: "a", level: 5)
        static let nora = Person(name: "nora", tenant: "b", level: 5)
    }

    struct Answer {
        let status: Status
        let json: JSONValue
        let text: String
        let ignoredFields: String?
        var headers = Headers()
    }

    static func with(
        _ functions: [Function],
        sql: String,
        configure: (inout ApplicationConfiguration) -> Void = { _ in },
        _ body: (Office) async throws -> Void
    ) async throws {
        try await TestApplication.with(functions, sql: sql, configure: configure) { try await body(Office(server: $0)) }
    }

    func ask(
        _ person: Person,
        _ method: SwiftletHTTP.Method,
        _ target: String,
        _ body: String = "",
        headers: [(Headers.Name, String)] = []
    ) async throws -> Answer {
        let token = try TestApplication.token(tenant: person.tenant, user: person.name, level: person.level)
        let response = try await server.send(method, target, token: token, body, headers: headers)
        return Answer(
            status: response.status,
            json: try JSONParser.parse(response.body),
            text: String(decoding: response.body, as: UTF8.self),
            ignoredFields: response.headers[.xIgnoredFields],
            headers: response.headers
        )
    }
}
