import Testing

@testable import SwiftletWeb

/// A limit as a value, with a clock that the test moves.
@Suite struct RateUseTests {
    private static let limit = RateLimit(10, per: .seconds(60))
    /// The beginning of a window.
    private static let start = 60_000 * 1_000

    private static func taking(_ count: Int, _ limit: RateLimit = limit, at milliseconds: Int) -> RateUse {
        var use = RateUse()
        for _ in 0..<count { _ = use.take(limit, at: milliseconds) }
        return use
    }

    @Test func `takes as many as the limit says, and says what is left`() {
        var use = RateUse()
        for left in (0..<10).reversed() {
            let verdict = use.take(Self.limit, at: Self.start + 15_000)
            #expect(verdict.isTaken && verdict.remaining == left && verdict.resetMilliseconds == 45_000)
        }
        let refusal = use.take(Self.limit, at: Self.start + 15_000)
        #expect(!refusal.isTaken && refusal.remaining == 0)
    }

    @Test func `who comes back when it says so is taken, and not a moment before`() {
        for (count, at) in [(10, 0), (10, 15_000), (10, 59_999), (7, 30_000)] {
            for later in [0, 20_000, 70_000, 100_000] {
                var use = Self.taking(count, at: Self.start + at)
                var now = Self.start + at + later
                while use.take(Self.limit, at: now).isTaken {}
                let wait = use.take(Self.limit, at: now).retryMilliseconds
                #expect(wait > 0)
                now += wait
                var early = use
                #expect(!early.take(Self.limit, at: now - 2).isTaken, "\(count) \(at) \(later)")
                #expect(use.take(Self.limit, at: now).isTaken, "\(count) \(at) \(later) \(wait)")
            }
        }
    }

    @Test func `the window slides: no two windows' worth at the border`() {
        var use = Self.taking(10, at: Self.start + 59_000)
        #expect(!use.take(Self.limit, at: Self.start + 60_000).isTaken)
        #expect(!use.take(Self.limit, at: Self.start + 65_000).isTaken)
        #expect(use.take(Self.limit, at: Self.start + 66_000).isTaken)
        #expect(!use.take(Self.limit, at: Self.start + 66_000).isTaken)
        var idle = Self.taking(10, at: Self.start)
        #expect(idle.take(Self.limit, at: Self.start + 120_000).remaining == 9)
    }

    @Test func `a clock that goes back opens nothing`() {
        var use = Self.taking(10, at: Self.start)
        #expect(!use.take(Self.limit, at: Self.start - 3_600_000).isTaken)
        #expect(!use.take(Self.limit, at: 0).isTaken)
    }

    @Test(arguments: [(0, 1), (-5, 1), (Int.max, 1_000_000_000)])
    func `limits stay within bounds`(count: Int, taken: Int) {
        #expect(RateLimit(count, per: .seconds(60)).count == taken)
        #expect(RateLimit(1, per: .milliseconds(count > 0 ? 10 : -10)).window == .seconds(1))
        #expect(RateLimit(1, per: .seconds(1_000_000)).window == .seconds(86_400))
    }

    @Test func `two servers learn of each other, and count nothing twice`() {
        var (first, second) = (Self.taking(4, at: Self.start), Self.taking(3, at: Self.start))
        let period = Self.start / 60_000
        var total = first.tell(Self.limit) ?? 0
        first.learn(total: total, in: period)
        total += second.tell(Self.limit) ?? 0
        second.learn(total: total, in: period)
        #expect(total == 7)
        #expect(first.tell(Self.limit) == nil)
        // The first has not looked since.
        #expect(first.take(Self.limit, at: Self.start).remaining == 5)
        #expect(second.take(Self.limit, at: Self.start).remaining == 2)
        total += first.tell(Self.limit) ?? 0
        first.learn(total: total, in: period)
        #expect(first.take(Self.limit, at: Self.start).remaining == 1)
        // Of another window, nothing is learnt.
        first.learn(total: 100, in: period - 1)
        #expect(first.take(Self.limit, at: Self.start).remaining == 0)
    }

    @Test func `tells nobody of a small part`() {
        let large = RateLimit(1000, per: .seconds(60))
        var use = Self.taking(99, large, at: Self.start)
        #expect(use.tell(large) == nil)
        _ = use.take(large, at: Self.start)
        #expect(use.tell(large) == 100)
    }

    @Test func `a counter that is full forgets nobody, and counts those who come together`() {
        let counter = RateCounter(RateLimit(2, per: .seconds(60)), scope: "s", label: "l")
        for number in 0..<100_000 { _ = counter.take("stranger \(number)", at: Self.start) }
        for name in ["first", "stranger 0"] { #expect(counter.take(name, at: Self.start).isTaken) }
        #expect(!counter.take("stranger 0", at: Self.start).isTaken)
        #expect(counter.take("second", at: Self.start + 1000).isTaken)
        counter.giveBack("second")
        #expect(counter.take("third", at: Self.start + 1000).isTaken)
        #expect(!counter.take("fourth", at: Self.start + 2000).isTaken)
        #expect(counter.take("fourth", at: Self.start + 120_000).isTaken)
    }

    @Test func `a counter forgets the idle first, then those far from the limit`() {
        let counter = RateCounter(RateLimit(4, per: .seconds(60)), scope: "s", label: "l")
        for _ in 0..<4 { _ = counter.take("busy", at: Self.start) }
        for number in 0..<100_100 { _ = counter.take("stranger \(number)", at: Self.start) }
        #expect(!counter.take("busy", at: Self.start).isTaken)
    }
}
