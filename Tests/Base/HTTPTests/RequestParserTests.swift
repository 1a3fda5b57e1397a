import SwiftletHTTP
import Testing

@Suite struct RequestParserTests {
    @Test func `reads a request and says how much it used`() throws {
        let head =
            "POST /api/caf%C3%A9//x?a=1&b=x+y HTTP/1.1\r\nHost: localhost\r\nX-A:  b \r\nContent-Length: 3\r\n\r\n"
        let bytes = Array((head + "abcGET").utf8)
        var parser = RequestParser(limits: RequestLimits(), remoteAddress: "192.0.2.1")
        guard case .request(let request, let consumed) = try parser.parse(bytes.span) else {
            Issue.record("no request")
            return
        }
        #expect(consumed == bytes.count - 3)
        #expect(request.method == .post)
        #expect(request.path == "/api/café//x")
        #expect(request.query["b"] == "x y")
        #expect(request.header("x-a") == "b")
        #expect(request.body == Array("abc".utf8))
        #expect(request.remoteAddress == "192.0.2.1")
        #expect(request.version == .http11)
        #expect(request.keepAlive)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\n", "GET /\r\n", "GET / HTTP/3.0\r\n", "GET /%00 HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n", "GET / HTTP/1.1\r\nHost: a\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n",
        "GET / HTTP/1.1\r\nContent-Length: x\r\n", "GET / HTTP/1.1\r\n X: a\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    ])
    func `judges a line as soon as its line feed is there`(text: String) {
        let bytes = Array(text.utf8)
        #expect(Delivery(bytes).error != nil)
        #expect(Delivery(bytes.dropLast()).error == nil)
    }

    @Test(
        arguments: [
            ("", .idle), ("\r", .idle), ("\r\n", .idle), ("\r\n\r\n", .idle), ("\r\n\r", .idle), ("G", .head),
            ("\r\nG", .head), ("GET / HTTP/1.1\r\n", .head), ("GET / HTTP/1.1\r\nHost: a\r\n", .head),
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", .idle), ("GET / HTTP/1.1\r\nHost: a\r\n\r\n\r\n", .idle),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n", .body),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na", .body),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab", .idle),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", .body),
        ] as [(String, RequestParser.Phase)]
    )
    func `reports the phase that it waits in`(text: String, phase: RequestParser.Phase) {
        let bytes = Array(text.utf8)
        #expect(Delivery(bytes).phase == phase)
        #expect(Delivery(bytes, cuts: Array(bytes.indices)).phase == phase)
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false),
        ("HTTP/1.1", "Connection: keep-alive\r\n", true), ("HTTP/1.1", "connection:CLOSE\r\n", false),
        ("HTTP/1.1", "Connection: a, close , b\r\n", false), ("HTTP/1.1", "Connection: closed\r\n", true),
        ("HTTP/1.1", "Connection: keep-alive, close\r\n", false), ("HTTP/1.1", "Connection:\r\n", true),
        ("HTTP/1.1", "Connection: keep-alive\r\nConnection: close\r\n", false),
        ("HTTP/1.1", "Connection: close\r\nConnection: keep-alive\r\n", false),
        ("HTTP/1.0", "", false), ("HTTP/1.0", "Connection: Keep-Alive\r\n", true),
        ("HTTP/1.0", "Connection: x,keep-alive\r\n", true), ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.0", "Connection: Upgrade\r\n", false),
    ])
    func `keeps the connection as version and Connection say`(version: String, field: String, keepAlive: Bool) {
        let delivery = Delivery(Array("GET / \(version)\r\nHost: a\r\n\(field)\r\n".utf8))
        #expect(delivery.requests.map(\.keepAlive) == [keepAlive])
    }

    @Test func `starts afresh behind a request`() {
        let first = "POST / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 2\r\nX-A: b\r\n\r\nab"
        let second = "GET /b HTTP/1.1\r\nHost: c\r\n\r\n"
        let delivery = Delivery(Array((first + second + first).utf8))
        #expect(delivery.requests.count == 3)
        #expect(delivery.requests[0] == delivery.requests[2])
        #expect(delivery.requests[1] == Delivery(Array(second.utf8)).requests[0])
    }

    @Test func `an error stays`() throws {
        var parser = RequestParser(limits: RequestLimits())
        let bad = Array("GET /\r\n".utf8)
        let good = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        #expect(throws: ParseError.self) { try parser.parse(bad.span) }
        #expect(throws: ParseError.self) { try parser.parse(good.span) }
    }
}
