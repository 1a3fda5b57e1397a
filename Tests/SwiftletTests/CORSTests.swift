import HTTP
import Testing

@testable import Swiftlet

@Suite struct CORSTests {
    @Test(
        arguments: [
            ("https://app.example", "https://app.example"),
            ("http://xn--caf-dma.example:8080", "http://xn--caf-dma.example:8080"),
            ("null", "null"), ("", nil), ("https://café.example", nil), ("https://app.example https://b.example", nil),
        ] as [(String, String?)]
    )
    func `an entry * echoes origins only`(origin: String, allowed: String?) throws {
        let response = try answer(CORSPolicy(origins: ["*"]), to: origin)
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
    func `development echoes loopback origins`(origin: String, isAllowed: Bool) throws {
        let response = try answer(CORSPolicy(origins: [], allowsLoopback: true), to: origin)
        #expect(response.headers[.accessControlAllowOrigin] == (isAllowed ? origin : nil))
    }

    private func answer(_ policy: CORSPolicy, to origin: String) throws -> Response {
        var headers = Headers()
        headers.append(.origin, origin)
        var response = Response()
        CORS(policy).apply(to: &response, for: try Request(target: "/", headers: headers))
        return response
    }
}
