import Testing

@testable import SwiftletHTTP

@Suite struct UnreadableHeadTests {
    @Test(
        arguments: [
            ("", nil), ("\r\n", nil), ("nothing", nil),
            ("GET /%zz HTTP/1.1\r\nOrigin: https://a.example\r\n\r\n", "https://a.example"),
            ("GET / HTTP/1.1\nHost: x\noRIGIN:\thttps://a.example \nA: b\n", "https://a.example"),
            ("\r\n\r\nGET / HTTP/1.1\r\nno colon\r\n : x\r\nOrigin:a\r\nOrigin: b\r\n", "a"),
            ("GET / HTTP/1.1\r\nOrigin:\r\n", ""), ("GET / HTTP/1.1\r\nOrigin: \u{0}\r\n", "\u{0}"),
            // Not complete, of another name, in the place of the request line, behind the head.
            ("GET / HTTP/1.1\r\nOrigin: https://a.exam", nil), ("GET / HTTP/1.1\r\nX-Origin: a\r\n", nil),
            ("GET / HTTP/1.1\r\nOrigin : a\r\n", nil), ("Origin: a\r\nHost: x\r\n", nil),
            ("GET / HTTP/1.1\r\nHost : x\r\n\r\nOrigin: a\r\n", nil), ("GET / HTTP/1.1\n\nOrigin: a\n", nil),
        ] as [(String, String?)]
    )
    func `the origin is the first complete field of that name`(head: String, origin: String?) {
        #expect(UnreadableHead(Array(head.utf8).span).origin == origin)
    }

    @Test func `bytes that are no text are no reason to fail`() {
        let bytes = Array("GET / HTTP/1.1\r\nOrigin: ".utf8) + [0xFF, 0x0D, 0x0A]
        #expect(UnreadableHead(bytes.span).origin == "\u{FFFD}")
    }

    @Test(
        arguments: [
            ("HEAD / HTTP/9\r\n", true), ("\r\n\r\nHEAD ", true), ("HEAD", false), ("HEADS /", false),
            ("head / HTTP/1.1", false), ("GET /\r\nHEAD / HTTP/1.1\r\n", false), ("", false),
        ]
    )
    func `the method is read from however much there is of it`(head: String, isHead: Bool) {
        #expect(UnreadableHead(Array(head.utf8).span).isHead == isHead)
    }

    @Test func `a head is searched as far as one may be long`() {
        let limits = RequestLimits()
        let parser = RequestParser(limits: limits)
        func origin(endingAt end: Int) -> String? {
            let (start, origin) = ("GET / HTTP/1.1\r\nA: ", "\r\nOrigin: a\r\n")
            let filler = String(repeating: "x", count: end - start.utf8.count - origin.utf8.count)
            return parser.unreadableHead(Array((start + filler + origin).utf8).span).origin
        }
        #expect(origin(endingAt: limits.headBytes) == "a")
        #expect(origin(endingAt: limits.headBytes + 1) == nil)
        #expect(origin(endingAt: 100_000) == nil)
    }
}
