import SwiftletHTTP
import Testing

@Suite struct ResponseSerializerTests {
    private static let date = HTTPDate(secondsSince1970: 784_111_777)
    private static let dateLine = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    private func text(
        _ response: Response,
        isHead: Bool = false,
        version: HTTPVersion = .http11,
        keepAlive: Bool = true
    ) -> String {
        var output: [UInt8] = []
        ResponseSerializer.append(
            response,
            to: &output,
            isHead: isHead,
            version: version,
            keepAlive: keepAlive,
            date: Self.date
        )
        return String(decoding: output, as: UTF8.self)
    }

    @Test func `writes a response`() {
        var response = Response(status: .created, body: Array("{}".utf8))
        response.headers[.contentType] = "application/json; charset=utf-8"
        #expect(
            text(response)
                == "HTTP/1.1 201 Created\r\n\(Self.dateLine)Content-Type: application/json; charset=utf-8\r\n"
                + "Content-Length: 2\r\n\r\n{}"
        )
    }

    @Test(
        arguments: [
            (200, false, "Content-Length: 3\r\n\r\nabc"), (200, true, "Content-Length: 3\r\n\r\n"),
            (404, false, "Content-Length: 3\r\n\r\nabc"), (404, true, "Content-Length: 3\r\n\r\n"),
            (204, false, "\r\n"), (204, true, "\r\n"), (304, false, "\r\n"), (304, true, "\r\n"),
            (205, false, "Content-Length: 0\r\n\r\n"), (205, true, "Content-Length: 0\r\n\r\n"),
        ] as [(Status, Bool, String)]
    )
    func `omits the body where there must be none`(status: Status, isHead: Bool, end: String) {
        let response = Response(status: status, body: Array("abc".utf8))
        let expected = "HTTP/1.1 \(status.rawValue) \(status.reasonPhrase)\r\n\(Self.dateLine)\(end)"
        #expect(text(response, isHead: isHead) == expected)
    }

    @Test(arguments: [("Not Today", "Not Today"), ("a\r\nb: c", "Not Found"), ("é", "Not Found")])
    func `a reason of one's own is printable`(reason: String, sent: String) {
        var response = Response(status: .notFound)
        response.reason = reason
        #expect(text(response).hasPrefix("HTTP/1.1 404 \(sent)\r\nDate: "))
    }

    @Test func `says no length of what HEAD does not make`() {
        var response = Response()
        response.omitsLength = true
        #expect(text(response, isHead: true) == "HTTP/1.1 200 OK\r\n\(Self.dateLine)\r\n")
        #expect(text(response) == "HTTP/1.1 200 OK\r\n\(Self.dateLine)Content-Length: 0\r\n\r\n")
    }

    @Test(arguments: [
        (HTTPVersion.http11, true, ""), (.http11, false, "Connection: close\r\n"),
        (.http10, true, "Connection: keep-alive\r\n"), (.http10, false, "Connection: close\r\n"),
    ])
    func `writes the Connection field`(version: HTTPVersion, keepAlive: Bool, field: String) {
        let expected = "HTTP/1.1 200 OK\r\n\(Self.dateLine)Content-Length: 0\r\n\(field)\r\n"
        #expect(text(Response(), version: version, keepAlive: keepAlive) == expected)
    }

    @Test(arguments: [100, 101, 199, 0, -1, 1000, 99999, Int.max, Int.min])
    func `a status that is not a final one becomes 500`(code: Int) {
        let response = Response(status: Status(rawValue: code))
        #expect(text(response).hasPrefix("HTTP/1.1 500 Internal Server Error\r\n"))
    }

    @Test(arguments: 200...999)
    func `every final status has three digits and a space`(code: Int) {
        let status = Status(rawValue: code)
        #expect(text(Response(status: status)).hasPrefix("HTTP/1.1 \(code) \(status.reasonPhrase)\r\nDate: "))
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 101, 999, 1000, 65535, 1_000_000])
    func `writes the length of any body`(count: Int) {
        let response = Response(body: [UInt8](repeating: 0x61, count: count))
        #expect(text(response).contains("\r\nContent-Length: \(count)\r\n\r\n"))
        #expect(text(response).utf8.count == text(response, isHead: true).utf8.count + count)
    }

    @Test func `appends behind what is there`() {
        var output = Array("before".utf8)
        let response = Response(body: Array("abc".utf8))
        for _ in 0..<3 { ResponseSerializer.append(response, to: &output, date: Self.date) }
        let once = text(response)
        #expect(String(decoding: output, as: UTF8.self) == "before" + once + once + once)
    }

    /// Growing by what is needed each time would copy everything again for each of many responses.
    @Test func `grows its output in large steps`() {
        var output: [UInt8] = []
        var growths = 0
        for _ in 0..<10_000 {
            let capacity = output.capacity
            ResponseSerializer.append(Response(), to: &output, date: Self.date)
            if output.capacity != capacity { growths += 1 }
        }
        #expect(growths < 30)
    }

    @Test func `asks for the content`() {
        var output: [UInt8] = []
        ResponseSerializer.appendContinue(to: &output)
        #expect(String(decoding: output, as: UTF8.self) == "HTTP/1.1 100 Continue\r\n\r\n")
    }
}
