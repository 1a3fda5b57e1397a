import SwiftletHTTP
import Testing

@Suite struct RequestBodyTests {
    private static let expecting = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"

    /// One letter for each answer of the parser, fed in the given portions.
    private func answers(_ portions: [String]) -> String {
        var parser = RequestParser(limits: RequestLimits())
        var rest: [UInt8] = []
        var answers = ""
        for portion in portions {
            rest.append(contentsOf: portion.utf8)
            do throws(ParseError) {
                switch try parser.parse(rest.span) {
                case .incomplete(let consumed), .streamed(let consumed):
                    answers += "m"
                    rest.removeFirst(consumed)
                case .awaitsContinue(let consumed):
                    answers += "c"
                    rest.removeFirst(consumed)
                case .request(let request, let consumed):
                    answers += "r" + String(decoding: request.body, as: UTF8.self)
                    rest.removeFirst(consumed)
                case .tooLarge: answers += "t"
                }
            } catch {
                answers += "e\(error.status.rawValue)"
            }
        }
        return answers
    }

    @Test(arguments: [
        // RFC 9110 §10.1.1.
        ([expecting, "abc"], "crabc"),
        ([expecting, "a", "bc"], "cmrabc"),
        // The content is there already: the client did not wait.
        ([expecting + "a", "bc"], "mrabc"),
        ([expecting + "abc"], "rabc"),
        // Nothing to wait for.
        ([expecting.replacing("Length: 3", with: "Length: 0")], "r"),
        (["GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"], "r"),
        // An HTTP/1.0 client does not understand it.
        ([expecting.replacing("HTTP/1.1", with: "HTTP/1.0"), "abc"], "mrabc"),
        // Refused before it is sent.
        ([expecting.replacing("Length: 3", with: "Length: 9999999")], "t"),
        (
            ["POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"],
            "cr"
        ),
    ])
    func `sends 100 Continue only to a client that waits for it`(portions: [String], expected: String) {
        #expect(answers(portions) == expected)
    }

    @Test func `takes content as it comes`() throws {
        let head = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\n".utf8)
        var parser = RequestParser(limits: RequestLimits())
        for (portion, expected) in [(head + [1, 2], head.count + 2), ([3], 1), ([], 0)] {
            guard case .incomplete(let consumed) = try parser.parse(portion.span) else {
                Issue.record("not waiting")
                return
            }
            #expect(consumed == expected)
        }
        let last: [UInt8] = [4, 5, 6, 7]
        guard case .request(let request, consumed: 3) = try parser.parse(last.span) else {
            Issue.record("no request")
            return
        }
        #expect(request.body == [1, 2, 3, 4, 5, 6])
    }

    @Test func `joins chunks and drops their extensions and trailers`() {
        let text = """
            POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
            4;x="\\"1"\r\nab\r\n\r\n00000C\r\n0\r\n\r\nGET /x \r\n1\r\n!\r\n0;y\r\nX-A: b\r\n\r\n
            """
        let delivery = Delivery(Array(text.utf8))
        #expect(delivery.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["ab\r\n0\r\n\r\nGET /x !"])
        #expect(delivery.requests.first?.fields == ["Host: a", "Transfer-Encoding: chunked"])
    }

    @Test func `a long body arrives whole, whatever its portions`() {
        let body = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let plain = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
        #expect(Delivery(plain, cuts: Array(stride(from: 0, to: plain.count, by: 4093))).requests.first?.body == body)

        var chunked = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        for start in stride(from: 0, to: body.count, by: 7001) {
            let chunk = body[start..<min(start + 7001, body.count)]
            chunked += Array((String(chunk.count, radix: 16) + "\r\n").utf8) + chunk + [13, 10]
        }
        chunked += Array("0\r\n\r\n".utf8)
        let cuts = Array(stride(from: 0, to: chunked.count, by: 1021))
        #expect(Delivery(chunked, cuts: cuts).requests.first?.body == body)
    }
}
