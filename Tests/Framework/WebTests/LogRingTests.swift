import Testing

@testable import SwiftletWeb

@Suite struct LogRingTests {
    private static func ring(_ count: Int, capacityBytes: Int = 1 << 20) -> LogRing {
        let ring = LogRing(capacityBytes: capacityBytes)
        for number in 0..<count { ring.add(Array("line \(number + 1)\n".utf8)) }
        return ring
    }

    /// A number may be anything that somebody sends.
    @Test(arguments: [
        (0, [18, 19, 20], 20), (17, [18, 19, 20], 3), (18, [19, 20], 2), (20, [], 0), (21, [], 0),
        (.max, [], 0), (-1, [18, 19, 20], 20), (.min, [18, 19, 20], 20),
    ])
    func `the newest lines after a number are given, and all are counted`(
        after number: Int,
        expected: [Int],
        matched: Int
    ) {
        let found = Self.ring(20).lines(after: number, limit: 3) { _ in true }
        #expect(found.lines.map(\.number) == expected)
        #expect(found.lines.map { String(decoding: $0.bytes, as: UTF8.self) } == expected.map { "line \($0)" })
        #expect(found.matched == matched)
        #expect(found.newest == 20)
    }

    @Test func `what has given way is not given, and numbers go on`() {
        let ring = Self.ring(10_000, capacityBytes: 900)
        let found = ring.lines(after: 0, limit: 1000) { _ in true }
        #expect(found.lines.count == 99)
        #expect(found.lines.first?.number == 9_902)
        #expect(found.newest == 10_000)
        #expect(ring.lines(after: 9_998, limit: 1000) { $0.last == UInt8(ascii: "0") }.lines.map(\.number) == [10_000])
    }
}
