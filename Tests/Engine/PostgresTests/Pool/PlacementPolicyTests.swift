import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct PlacementPolicyTests {
    private func candidates(_ depths: [Int]) -> [PlacementPolicy.Candidate] {
        depths.map { PlacementPolicy.Candidate(isUp: true, depth: $0) }
    }

    private let policy = PlacementPolicy(count: 6, maximumDepth: 128)

    @Test(arguments: [(0, 2), (1, 2), (2, 2), (5, 5), (6, 6)])
    func `there are at least two connections`(asked: Int, made: Int) {
        #expect(PlacementPolicy(count: asked, maximumDepth: 1).count == made)
    }

    @Test(arguments: [
        ([0, 0, 0, 0, 0, 0], 0), ([15, 0, 0, 0, 0, 0], 0), ([16, 3, 0, 0, 0, 0], 1), ([90, 40, 0, 0, 0, 0], 1),
        ([128, 128, 9, 8, 7, 9], 4), ([128, 128, 128, 128, 128, 128], nil),
    ])
    func `point reads fill the first connections, then spill over`(depths: [Int], place: Int?) {
        #expect(policy.indexForPoint(candidates(depths)) == place)
    }

    @Test(arguments: [([0, 0, 3, 1, 2, 3], 3), ([0, 0, 4, 4, 4, 4], nil), ([0, 0, 4, 4, 4, 0], 5)])
    func `pages and writes go to the least busy shared connection, or wait`(depths: [Int], place: Int?) {
        #expect(policy.indexForHeavy(candidates(depths)) == place)
        #expect(policy.indexForWrite(candidates(depths)) == place)
    }

    @Test(arguments: [
        // Nobody gets more than a share, nor more than the limit, and who still has work gets nothing.
        ([0, 0, 0, 2, 3, 9], 8, [0, 0, 2, 4, 0, 0]), ([0, 0, 1, 0, 2, 0], 400, [0, 0, 16, 16, 16, 16]),
        ([9, 9, 2, 2, 2, 2], 1, [0, 0, 3, 3, 3, 3]), ([0, 0, 3, 4, 5, 6], 100, [0, 0, 0, 0, 0, 0]),
    ])
    func `a line fills shared connections that have run almost empty`(depths: [Int], waiting: Int, limits: [Int]) {
        var all = candidates(depths)
        policy.openForRefill(&all, upTo: 16, waiting: waiting)
        #expect(all.map(\.refillLimit) == limits)
        let first = limits.firstIndex { $0 > 0 }
        #expect(policy.indexForRefill(all, .heavy) == first)
        guard let first else { return }
        all[first].depth = limits[first]
        #expect(policy.indexForRefill(all, .heavy) != first)
    }

    @Test func `a line that has no shared connection to wait for goes elsewhere`() {
        var all = candidates([0, 0, 0, 0, 0, 0])
        for index in 2..<6 { all[index].isHeld = true }
        policy.openForRefill(&all, upTo: 16, waiting: 10)
        #expect(policy.indexForRefill(all, .heavy) == 1)
    }

    @Test func `connections that are down, stuck, leased or reserved are skipped`() {
        var all = candidates([0, 0, 0, 0, 0, 0])
        all[0].isStuck = true
        #expect(policy.indexForPoint(all) == 1)
        all[1].isUp = false
        #expect(policy.indexForPoint(all) == 2)
        all[2].isHeld = true
        all[3].isReserved = true
        #expect(policy.indexForHeavy(all) == 4)
        #expect(policy.indexForLease(all) == 4)
    }

    @Test func `pages may use a point connection when no shared one is to be had, writes only when none is up`() {
        var all = candidates([0, 0, 0, 0, 0, 0])
        for index in 2..<6 { all[index].isHeld = true }
        #expect(policy.indexForHeavy(all) == 1)
        #expect(policy.indexForWrite(all) == nil)
        for index in 2..<6 { all[index] = PlacementPolicy.Candidate() }
        #expect(policy.indexForWrite(all) == 0)
        #expect(policy.indexForLease(all) == 0)
    }

    @Test(arguments: [2, 4, 6, 8])
    func `a burst of pages that all take long leaves a connection to point reads`(count: Int) {
        let policy = PlacementPolicy(count: count, maximumDepth: 128)
        var all = candidates(Array(repeating: 0, count: count))
        // As many as there is room for; whatever then runs for too long is stuck.
        for _ in 0..<3 {
            while let index = policy.indexForHeavy(all) { all[index].depth += 1 }
            for index in all.indices where all[index].depth > 0 { all[index].isStuck = true }
        }
        #expect(all[0].depth == 0)
        #expect(policy.indexForPoint(all) == 0)
    }

    @Test(arguments: [6, 8])
    func `of two point connections one stays free of pages when all shared ones are leased`(count: Int) {
        let policy = PlacementPolicy(count: count, maximumDepth: 128)
        var all = candidates(Array(repeating: 0, count: count))
        for index in 2..<count { all[index].isHeld = true }
        while let index = policy.indexForHeavy(all) { all[index].depth += 1 }
        #expect(all[0].depth == 0)
    }

    @Test func `one shared connection is never lent`() {
        var all = candidates([0, 0, 0, 0, 0, 0])
        var lent = 0
        while let index = policy.indexForLease(all) {
            all[index].isHeld = true
            lent += 1
        }
        #expect(lent == 3)
        #expect(policy.maximumSlow == 2)
        #expect(policy.indexForWrite(all) != nil)
    }
}
