import Synchronization
import Testing

@testable import SwiftletPostgres

/// Which of two primaries of one database is the former one.
@Suite struct PrimaryFenceTests {
    private static func history(_ timeline: UInt32, of cluster: String = "7") -> ServerHistory {
        ServerHistory(cluster: cluster, timeline: timeline)
    }

    @Test func `keeps out who was the primary before`() {
        let fence = PrimaryFence()
        #expect(fence.admits(Self.history(3)))
        #expect(fence.admits(Self.history(3)))
        #expect(fence.admits(Self.history(4)))
        #expect(!fence.admits(Self.history(3)))
        #expect(fence.admits(Self.history(4)))
    }

    @Test func `tells each of its observers once of a promotion, for as long as they observe`() {
        let fence = PrimaryFence()
        let told = Mutex<[String]>([])
        func observe(_ name: String) -> PrimaryFence.Observation {
            fence.observe { history in told.withLock { $0.append("\(name) \(history.timeline)") } }
        }
        let first = observe("first")
        let start = ContinuousClock.now
        fence.admits(Self.history(3), at: start)
        do {
            let second = observe("second")
            fence.admits(Self.history(4), at: start + .seconds(1))
            #expect(told.withLock { $0.sorted() } == ["first 4", "second 4"])
            withExtendedLifetime(second) {}
        }
        fence.admits(Self.history(4), at: start + .seconds(2))
        fence.admits(Self.history(3), at: start + .seconds(3))
        // One of before that counts again was not promoted.
        fence.admits(Self.history(3), at: start + .seconds(64))
        fence.admits(Self.history(5), at: start + .seconds(65))
        #expect(told.withLock { $0.dropFirst(2) } == ["first 5"])
        withExtendedLifetime(first) {}
    }

    @Test func `a primary that nobody finds any more keeps the others out for a minute`() {
        let fence = PrimaryFence()
        let start = ContinuousClock.now
        #expect(fence.admits(Self.history(4), at: start))
        #expect(!fence.admits(Self.history(3), at: start + .seconds(100)))
        #expect(fence.admits(Self.history(4), at: start + .seconds(110)))
        #expect(!fence.admits(Self.history(3), at: start + .seconds(165)))
        #expect(!fence.admits(Self.history(3), at: start + .seconds(224)))
        #expect(fence.admits(Self.history(3), at: start + .seconds(225)))
        #expect(fence.admits(Self.history(3), at: start + .seconds(226)))
    }

    @Test func `another database at the address begins anew`() {
        let fence = PrimaryFence()
        #expect(fence.admits(Self.history(9)))
        #expect(fence.admits(Self.history(1, of: "8")))
        #expect(fence.admits(Self.history(1, of: "8")))
        #expect(!Self.history(9).precedes(Self.history(10, of: "8")))
    }

    @Test(
        arguments: [
            ("7300000000000000001 0000000A", ServerHistory(cluster: "7300000000000000001", timeline: 10)),
            ("", nil), ("7300000000000000001", nil), ("7 x", nil), ("7 1 1", nil), ("7 1FFFFFFFF", nil),
        ] as [(String, ServerHistory?)]
    )
    func `reads what a server says of itself`(answer: String, expected: ServerHistory?) {
        #expect(ServerHistory(answer) == expected)
    }
}
