import SwiftletHTTP
import Testing

@testable import SwiftletWeb

@Suite struct CORSTests {
    @Test(
        arguments: [
            ("https://app.example", "https://app.example"),
            ("http://xn--caf-dma.example:8080", "http://xn--caf-dma.example:8080"),
            ("null", "null"), ("", nil), ("https://café.example", nil), ("https://app.example https://b.example", nil),
        ] as [(String, String?)]
    )
    func `an entry * echoes origins only`(origin: String, allowed: String?) {
        let response = answer(CORSPolicy(origins: ["*"]), to: origin)
        #expect(response.headers[.accessControlAllowOrigin] == allowed)
        #expect(response.headers[.accessControlAllowCredentials] == nil)
        #expect(response.headers[.vary] == "Origin")
    }

    @Test(
        arguments: [
            ("http://localhost:5173", true), ("https://127.0.0.1", true), ("http://[::1]:3000", true),
            ("http://localhost.example", false), ("http://localhost:5173/", false), ("http://localhost:5a", false),
            ("https://app.example", false),
        ]
    )
    func `development echoes loopback origins`(origin: String, isAllowed: Bool) {
        let response = answer(CORSPolicy(origins: [], allowsLoopback: true), to: origin)
        #expect(response.headers[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
    }

    @Test(arguments: [
        ("X-Key, x-key,x-KEY", ["x-key"]), ("x-\u{212A}ey, y", ["y"]), ("Authorization, x y, , x", ["x"]),
    ])
    func `a preflight allows each name that it asks for, once`(asked: String, names: [String]) throws {
        #expect(try added(by: asked) == names)
    }

    @Test func `a preflight allows only so many names`() throws {
        let asked = (0...100).map { "a\($0)" }.joined(separator: ",")
        #expect(try added(by: asked).count == 100)
        #expect(try added(by: String(repeating: "a,", count: 15_000)) == ["a"])
    }

    /// The names that a preflight allows in addition to those that are always allowed.
    private func added(by asked: String) throws -> [String] {
        let cors = CORS(CORSPolicy(origins: ["*"]))
        func allowed(_ asked: String?) throws -> [String] {
            var headers = Headers()
            if let asked { headers.append(.accessControlRequestHeaders, asked) }
            let request = try Request(method: .options, target: "/", headers: headers)
            let names = cors.preflight(request).headers[.accessControlAllowHeaders] ?? ""
            return names.split(separator: ",").map { String($0.drop { $0 == " " }) }
        }
        return Array(try allowed(asked).dropFirst(try allowed(nil).count))
    }

    private func answer(_ policy: CORSPolicy, to origin: String) -> Response {
        var response = Response()
        CORS(policy).apply(to: &response, origin: origin)
        return response
    }
}
