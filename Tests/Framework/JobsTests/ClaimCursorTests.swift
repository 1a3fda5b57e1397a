import Testing

@testable import SwiftletJobs

@Suite struct ClaimCursorTests {
    private func job(_ priority: JobPriority, _ due: String) -> ClaimedJob {
        ClaimedJob(
            claim: JobClaim(id: 1, fence: 1),
            name: "a",
            attempt: 1,
            payload: "{}",
            caller: .nobody,
            requestID: nil,
            lateMilliseconds: 0,
            priority: priority,
            due: due
        )
    }

    private static let short: UInt64 = 1_000_000

    private func batch(_ jobs: ClaimedJob...) -> ClaimedBatch {
        var batch = ClaimedBatch()
        batch.jobs = jobs
        batch.settled = "settled"
        return batch
    }

    @Test func `a full batch lets the next claim begin where it ended, in each priority`() {
        var floors = ClaimCursor()
        floors.begin(at: 1_000_000_000)
        let found = batch(job(.high, "1"), job(.high, "2"), job(.normal, "1"))
        floors.note(found, isFull: true, duration: Self.short)
        floors.begin(at: 1_100_000_000)
        #expect(floors[.high] == "2")
        #expect(floors[.normal] == "1")
        #expect(floors[.low] == "-infinity")
    }

    @Test func `everything is looked at again after a fifth of a second, and after a batch that was not full`() {
        var floors = ClaimCursor()
        floors.begin(at: 1_000_000_000)
        floors.note(batch(job(.high, "1")), isFull: true, duration: Self.short)
        floors.begin(at: 1_200_000_000)
        #expect(floors[.high] == "-infinity")
        floors.note(batch(job(.high, "1")), isFull: true, duration: Self.short)
        floors.note(batch(job(.high, "2")), isFull: false, duration: Self.short)
        #expect(floors[.high] == "-infinity")
    }

    @Test func `where looks at everything take long, they are rare, and the others begin shortly before now`() {
        var floors = ClaimCursor()
        for number in 1...4 as ClosedRange<UInt64> {
            floors.begin(at: number * 1_000_000_000)
            #expect(floors[.high] == "-infinity")
            floors.note(batch(job(.high, "1")), isFull: false, duration: 100_000_000)
        }
        floors.begin(at: 5_900_000_000)
        #expect(floors[.high] == "settled")
        #expect(floors[.low] == "settled")
        // How long other looks take says nothing of it.
        floors.note(batch(), isFull: false, duration: Self.short)
        #expect(floors[.normal] == "settled")
        floors.begin(at: 6_000_000_000)
        #expect(floors[.high] == "-infinity")
        floors.note(batch(), isFull: false, duration: Self.short)
        #expect(floors[.high] == "-infinity")
    }

    @Test func `a single long look changes nothing, and no look is put off for more than five seconds`() {
        var floors = ClaimCursor()
        for number in 1...7 as ClosedRange<UInt64> {
            floors.begin(at: number * 10_000_000_000)
            floors.note(batch(), isFull: false, duration: number == 2 ? Self.short : .max)
            #expect((floors[.high] == "settled") == (number > 5))
        }
        floors.begin(at: 74_000_000_000)
        #expect(floors[.high] == "settled")
        floors.begin(at: 75_000_000_000)
        #expect(floors[.high] == "-infinity")
    }

    @Test func `a dead server's jobs are looked for at once`() {
        var floors = ClaimCursor()
        floors.begin(at: 1_000_000_000)
        floors.note(batch(job(.high, "1")), isFull: true, duration: 100_000_000)
        floors.lookAtAll()
        #expect(floors[.high] == "-infinity")
    }
}
