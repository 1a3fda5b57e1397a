import Testing

@testable import SwiftletJobs

@Suite struct UnconfirmedClaimsTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func `it is looked at once, and again when no claim can be on its way`() {
        var doubts = UnconfirmedClaims()
        #expect(!doubts.isDue(at: 5 * Self.second))
        doubts.arise(at: 5 * Self.second, lease: .seconds(30))
        #expect(doubts.isDue(at: 5 * Self.second))
        doubts.settle(at: 6 * Self.second)
        #expect(!doubts.isDue(at: 34 * Self.second))
        #expect(doubts.isDue(at: 35 * Self.second))
        doubts.settle(at: 36 * Self.second)
        #expect(!doubts.isDue(at: 100 * Self.second))
    }

    @Test func `a new doubt starts both looks anew`() {
        var doubts = UnconfirmedClaims()
        doubts.arise(at: 5 * Self.second, lease: .seconds(30))
        doubts.settle(at: 6 * Self.second)
        doubts.arise(at: 20 * Self.second, lease: .seconds(30))
        #expect(doubts.isDue(at: 20 * Self.second))
        doubts.settle(at: 36 * Self.second)
        #expect(!doubts.isDue(at: 49 * Self.second))
        #expect(doubts.isDue(at: 50 * Self.second))
    }
}
