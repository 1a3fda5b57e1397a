import Testing

@testable import SwiftletJobs

@Suite struct JobStateTests {
    private func jobs(_ ids: ClosedRange<Int>) -> [ClaimedJob] {
        ids.map { id in
            ClaimedJob(
                claim: JobClaim(id: id, fence: 1),
                name: "a",
                attempt: 1,
                payload: "{}",
                caller: .nobody,
                requestID: nil,
                lateMilliseconds: 0
            )
        }
    }

    @Test func `starts no more slots than allowed and fetches nothing in advance at first`() {
        var board = JobState(concurrency: 4)
        #expect(board.room == 4)
        let slots = board.add(jobs(1...6))
        #expect(slots.count == 4)
        let first = board.take(1, at: 0)
        #expect(first?.claim.id == 1)
        #expect(board.room == 0)
    }

    @Test func `fetches short jobs in advance`() {
        var board = JobState(concurrency: 2)
        _ = board.add(jobs(1...2))
        for _ in 0..<100 {
            for slot in 1...2 {
                _ = board.add(jobs(1...1))
                _ = board.take(slot, at: 0)
                _ = board.end(slot, at: 10_000)
            }
        }
        #expect(board.room > 100)
    }

    @Test func `a job that is given up cannot end any more`() {
        var board = JobState(concurrency: 1)
        _ = board.add(jobs(1...2))
        _ = board.take(1, at: 0)
        let early = board.giveUpOverdue(at: 1_000_000_000) { _ in .seconds(2) }
        #expect(early.isEmpty)
        let late = board.giveUpOverdue(at: 3_000_000_000) { _ in .seconds(2) }
        #expect(late.map(\.job.claim.id) == [1])
        let isOurs = board.end(1, at: 4_000_000_000)
        #expect(!isOurs)
        let new = board.add([])
        #expect(new == [2], "another slot takes the next job")
    }

    @Test func `returns what has not started when it stops`() {
        var board = JobState(concurrency: 1)
        _ = board.add(jobs(1...3))
        _ = board.take(1, at: 0)
        let unstarted = board.stop()
        #expect(unstarted.map(\.claim.id) == [2, 3])
        #expect(board.room == 0)
        let next = board.take(1, at: 1)
        #expect(next == nil)
    }
}
