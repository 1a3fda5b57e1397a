import Testing

@testable import Jobs

@Suite struct ClaimFloorsTests {
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

    @Test func `a full batch lets the next claim begin where it ended, in each priority`() {
        var floors = ClaimFloors()
        floors.begin(at: 1_000_000_000)
        floors.note([job(.high, "1"), job(.high, "2"), job(.normal, "1")], isFull: true)
        floors.begin(at: 1_100_000_000)
        #expect(floors[.high] == "2")
        #expect(floors[.normal] == "1")
        #expect(floors[.low] == "-infinity")
    }

    @Test func `everything is looked at again after a fifth of a second, and after a batch that was not full`() {
        var floors = ClaimFloors()
        floors.begin(at: 1_000_000_000)
        floors.note([job(.high, "1")], isFull: true)
        floors.begin(at: 1_200_000_000)
        #expect(floors[.high] == "-infinity")
        floors.note([job(.high, "1")], isFull: true)
        floors.note([job(.high, "2")], isFull: false)
        #expect(floors[.high] == "-infinity")
    }
}
