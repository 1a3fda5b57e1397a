import HTTP
import Testing

@Suite struct RequestParserTests {
    @Test func `reads a request and says how much it used`() throws {
        let text =
            "POST /api/caf%C3%A9//x?a=1&b=x+y HTTP/1.1\r\nHost: localhost\r\nX-A:  b \r\nContent-Length: 3\r\n\r\nabcGET"
        var parser = RequestParser(limits: RequestLimits())
        let bytes = Array(text.utf8)
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
        #expect(request.pathSegments.count == 3)
        #expect(request.pathSegments[1] == "café")
        #expect(request.keepAlive)
    }
}
