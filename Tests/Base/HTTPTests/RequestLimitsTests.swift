import Foundation
import SwiftletHTTP
import Testing

/// Each limit on both of its sides, the message whole and byte by byte.
@Suite struct RequestLimitsTests {
    private static let limits = RequestLimits(
        requestLineBytes: 40,
        headBytes: 120,
        fieldCount: 3,
        bodyBytes: 20,
        chunkExtensionBytes: 10,
        trailerBytes: 16
    )

    private static let host = "Host: a\r\n"
    private static let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func line(of count: Int) -> String {
        "GET /" + String(repeating: "a", count: count - 14) + " HTTP/1.1\r\n"
    }

    private static func head(of count: Int) -> String {
        let start = "GET / HTTP/1.1\r\n" + host + "X-A: "
        return start + String(repeating: "a", count: count - start.utf8.count - 4) + "\r\n\r\n"
    }

    private static func post(_ length: Int) -> String {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n"
    }

    private static let cases: [(String, Int)] = [
        ("\(line(of: 40))\(host)\r\n", 200),
        ("\(line(of: 41))\(host)\r\n", 414),
        ("\(line(of: 60))\(host)\r\n", 414),
        (String(repeating: "A", count: 41), 200),
        (String(repeating: "A", count: 42), 414),
        (head(of: 120), 200),
        (head(of: 121), 431),
        (head(of: 200), 431),
        (String(decoding: head(of: 200).utf8.prefix(119), as: UTF8.self), 200),
        (String(decoding: head(of: 200).utf8.prefix(120), as: UTF8.self), 431),
        ("GET / HTTP/1.1\r\n\(host)A: a\r\nB: b\r\n\r\n", 200),
        ("GET / HTTP/1.1\r\n\(host)A: a\r\nB: b\r\nC: c\r\n\r\n", 431),
        ("\(post(20))01234567890123456789", 200),
        (post(21), 413),
        ("\(chunked)14\r\n01234567890123456789\r\n0\r\n\r\n", 200),
        ("\(chunked)15\r\n", 413),
        ("\(chunked)a\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", 200),
        ("\(chunked)a\r\n0123456789\r\nb\r\n", 413),
        ("\(chunked)1;a=3456\r\na\r\n0;ab\r\n\r\n", 200),
        ("\(chunked)1;a=3456\r\na\r\n0;abc\r\n\r\n", 400),
        ("\(chunked)1;a=34567890\r\n", 400),
        ("\(chunked)1;a=345678901234567890123456", 400),
        ("\(chunked)1;a=34567890123456789012345", 200),
        ("\(chunked)0\r\nA: 34567890123\r\n\r\n", 200),
        ("\(chunked)0\r\nA: 345678901234\r\n\r\n", 431),
        ("\(chunked)0\r\nA: 34\r\nB: 34\r\n\r\n", 200),
        ("\(chunked)0\r\nA: 34\r\nB: 345678\r\n\r\n", 431),
        ("\(chunked)0\r\nA: 34567890123456", 200),
        ("\(chunked)0\r\nA: 345678901234567", 431),
    ]

    @Test(arguments: [post(21), "\(chunked)a\r\n0123456789\r\nb\r\n"])
    func `provides the request without its content when that is too large`(text: String) throws {
        let request = try #require(Self.refused(text))
        #expect(request.body.isEmpty)
        #expect(request.method == .post)
        #expect(request.path == "/")
        #expect(request.header("Host") == "a")
        #expect(Self.refused("POST / HTTP/1.1\r\nContent-Length: 21\r\n\r\n") == nil)
    }

    /// Nothing behind it is served.
    private static func refused(_ text: String) -> Request? {
        var parser = RequestParser(limits: limits)
        let first = try? parser.parse(Array(text.utf8).span)
        guard (try? parser.parse(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8).span)) == nil else { return nil }
        return if case .tooLarge(let request)? = first { request } else { nil }
    }

    @Test(arguments: cases)
    func `enforces each limit to the byte`(text: String, status: Int) {
        let bytes = Array(text.utf8)
        let whole = Delivery(bytes, limits: Self.limits)
        #expect(whole.status == status)
        #expect(Delivery(bytes, cuts: Array(bytes.indices), limits: Self.limits) == whole)
    }

    @Test(arguments: [
        (8192, 200), (8193, 414),
    ])
    func `the usual request line has up to 8 KiB`(count: Int, status: Int) {
        let delivery = Delivery(Array("\(Self.line(of: count))\(Self.host)\r\n".utf8))
        #expect(delivery.status == status)
    }

    @Test(arguments: [
        (32768, 200), (32769, 431),
    ])
    func `the usual head has up to 32 KiB`(count: Int, status: Int) {
        let delivery = Delivery(Array(Self.head(of: count).utf8))
        #expect(delivery.status == status)
    }

    @Test(arguments: [
        (100, 200), (101, 431),
    ])
    func `the usual head has up to 100 fields`(count: Int, status: Int) {
        let fields = (1..<count).map { "X-\($0): \($0)\r\n" }.joined()
        let delivery = Delivery(Array("GET / HTTP/1.1\r\n\(Self.host)\(fields)\r\n".utf8))
        #expect(delivery.status == status)
        #expect(delivery.requests.first?.fields.last ?? "X-99: 99" == "X-99: 99")
    }

    @Test func `a head never outgrows the 16 bits of its ranges`() {
        let limits = RequestLimits(headBytes: 1 << 20)
        let delivery = Delivery(Array(Self.head(of: 65535).utf8), limits: limits)
        #expect(delivery.requests.first?.fields.last?.utf8.count == 65535 - 16 - 9 - 4)
        #expect(Delivery(Array(Self.head(of: 65536).utf8), limits: limits).status == 431)
    }

    /// The request line may fill the longer head; what is elsewhere may not.
    @Test func `paths with a long target take the longer limit`() {
        let limits = RequestLimits(
            requestLineBytes: 40,
            headBytes: 120,
            longTargetPrefix: "/long/",
            longHeadBytes: 300
        )
        func head(_ path: String, of count: Int) -> [UInt8] {
            let end = " HTTP/1.1\r\n\(Self.host)\r\n"
            let start = "DELETE \(path)?"
            let filling = String(repeating: "a", count: count - start.utf8.count - end.utf8.count)
            return Array((start + filling + end).utf8)
        }
        for (path, count, status) in [
            ("/long/a", 300, 200), ("/long/a", 301, 431), ("/long/a", 330, 414), ("/other/", 80, 414),
            ("/lon", 80, 414), ("/long/a", 80, 200), ("/long", 53, 200),
        ] {
            let bytes = head(path, of: count)
            let whole = Delivery(bytes, limits: limits)
            #expect(whole.status == status, "\(path) \(count)")
            #expect(Delivery(bytes, cuts: Array(bytes.indices), limits: limits) == whole)
        }
        for count in 0..<48 {
            let bytes = Array(String(repeating: "A", count: count).utf8)
            let tiny = RequestLimits(requestLineBytes: 0, longTargetPrefix: "/long/")
            #expect(Delivery(bytes, limits: tiny).requests.isEmpty)
        }
    }

    @Test(arguments: [Int.min, -1, 0, 1, Int.max])
    func `no limit makes the parser trap`(value: Int) {
        let limits = RequestLimits(
            requestLineBytes: value,
            headBytes: value,
            fieldCount: value,
            bodyBytes: value,
            chunkExtensionBytes: value,
            trailerBytes: value
        )
        for fixture in Fixture.all {
            let whole = Delivery(fixture.bytes, limits: limits)
            #expect(Delivery(fixture.bytes, cuts: Array(fixture.bytes.indices), limits: limits) == whole)
        }
        for value in [RequestLimits(trailerBytes: value), RequestLimits(chunkExtensionBytes: value)] {
            for fixture in Fixture.wellFormed {
                #expect([200, 400, 431].contains(Delivery(fixture.bytes, limits: value).status))
            }
        }
    }

    /// Each byte of a head arrives alone, all in one line. Four times the bytes may take four times as long; what looks
    /// at everything anew with each byte takes sixteen times as long.
    @Test func `time grows as the bytes do`() {
        let short = (0..<3).map { _ in timeByteByByte(16384) }.min() ?? 0
        let long = (0..<3).map { _ in timeByteByByte(65535) }.min() ?? .max
        #expect(long < 9 * short)
    }

    private func timeByteByByte(_ count: Int) -> UInt64 {
        let bytes = Array(Self.head(of: count).utf8)
        var parser = RequestParser(limits: RequestLimits(headBytes: 65535))
        let start = threadTime()
        for end in 1..<bytes.count {
            guard case .incomplete(consumed: 0)? = try? parser.parse(bytes.span.extracting(..<end)) else {
                Issue.record("not waiting at \(end)")
                break
            }
        }
        let time = threadTime() - start
        if case .request? = try? parser.parse(bytes.span) { return time }
        Issue.record("no request")
        return time
    }
}

/// Processor time of this thread in nanoseconds, which other load does not change.
private func threadTime() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
