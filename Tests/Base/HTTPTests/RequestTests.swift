import SwiftletHTTP
import Testing

@Suite struct RequestTests {
    @Test func `finds fields without regard to case`() throws {
        var headers = Headers()
        headers.append("X-First", "1")
        headers.append("x-first", "2")
        headers.append("X-Empty", "")
        headers.append("X-Opaque", utf8: [0x63, 0xE9].span)
        let request = try Request(target: "/", headers: headers)
        #expect(request.header("X-FIRST") == "1")
        #expect(request.combinedHeader("x-First") == "1, 2")
        #expect(request.header("X-Empty") == "")
        #expect(request.combinedHeader("X-Empty") == "")
        #expect(request.header("X-Firs") == nil)
        #expect(request.combinedHeader("X-Firs") == nil)
        #expect(request.header("X-Opaque") == "c\u{FFFD}")
        #expect(request.header(.host) == "localhost")
        #expect(
            request.fields.map(\.name) == ["Host", "X-First", "x-first", "X-Empty", "X-Opaque", "Content-Length"]
        )
    }

    @Test(arguments: [
        "a", "ab", "x-request", "x-request-id", "authorization", "access-control-request-headers", "x0-9",
    ])
    func `lends a field's bytes by its lower-case name`(name: String) throws {
        for written in [name, name.uppercased()] {
            var headers = Headers()
            headers.append("X", "0")
            headers.append(try #require(Headers.Name(written)), "value")
            let request = try Request(target: "/", headers: headers)
            #expect(value(of: name, in: request) == "value")
        }
        #expect(value(of: name, in: try Request(target: "/")) == nil)
    }

    /// `withHeader` takes literals only.
    private func value(of name: String, in request: Request) -> String? {
        func text(_ bytes: Span<UInt8>?) -> String? {
            guard let bytes else { return nil }
            return String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
        }
        return switch name {
        case "a": request.withHeader("a", text)
        case "ab": request.withHeader("ab", text)
        case "x-request": request.withHeader("x-request", text)
        case "x-request-id": request.withHeader("x-request-id", text)
        case "authorization": request.withHeader("authorization", text)
        case "access-control-request-headers": request.withHeader("access-control-request-headers", text)
        case "x0-9": request.withHeader("x0-9", text)
        default: nil
        }
    }

    @Test func `a request made here passes the parser`() throws {
        let request = try Request(method: .put, target: "/a", body: [1, 2, 3], remoteAddress: "::1")
        #expect(request.method == .put)
        #expect(request.body == [1, 2, 3])
        #expect(request.remoteAddress == "::1")
        #expect(request.header("content-length") == "3")
        #expect(throws: ParseError.self) { try Request(target: "a") }
        #expect(throws: ParseError.self) { try Request(target: "/a b") }
        #expect(throws: ParseError.self) { try Request(target: "/ HTTP/1.1\r\nX: y\r\n\r\nGET /") }
        #expect(throws: ParseError.self) { try Request(method: Method(rawValue: "A B"), target: "/") }
        #expect(throws: ParseError.self) {
            try Request(target: "/", body: [1, 2], limits: RequestLimits(bodyBytes: 1))
        }
    }

    @Test func `a request may leave its thread`() async throws {
        let request = try Request(method: .post, target: "/a?b=c", body: [1])
        let described = await Task.detached { "\(request.method) \(request.path) \(request.query["b"] ?? "")" }.value
        #expect(described == "POST /a c")
    }
}
