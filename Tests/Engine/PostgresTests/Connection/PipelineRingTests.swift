import SwiftletEventLoop
import Testing

@testable import SwiftletPostgres

@Suite struct PipelineRingTests {
    @Test func `keeps its order while it grows`() {
        var ring = PipelineRing(capacity: 4)
        var expected: [UInt32] = []
        for number in 0..<100 as Range<UInt32> {
            ring.append(PipelineRing.Entry(kind: .execute, part: number))
            expected.append(number)
            guard number % 3 == 0 else { continue }
            let removed = ring.removeFirst()?.part
            #expect(removed == expected.removeFirst())
        }
        #expect(ring.count == expected.count)
        #expect(ring[2]?.part == expected[2])
        while let entry = ring.removeFirst() { #expect(entry.part == expected.removeFirst()) }
        #expect(expected.isEmpty)
        #expect(ring.first == nil)
    }

    @Test func `knows whether a query is alone`() {
        let statement = Statement("SELECT 1", isReadOnly: true)
        let query = PendingQuery(statement, .none, deadline: .distantFuture)
        let other = PendingQuery(statement, .none, deadline: .distantFuture)
        var ring = PipelineRing()
        #expect(!ring.holdsOnly(query))
        ring.append(PipelineRing.Entry(kind: .sync))
        #expect(!ring.holdsOnly(query), "the end of a batch without a query is in flight")
        ring.append(PipelineRing.Entry(kind: .execute, pending: query))
        #expect(ring.holdsOnly(query))
        #expect(!ring.holdsOnly(other))
        ring.append(PipelineRing.Entry(kind: .execute, pending: other))
        #expect(!ring.holdsOnly(query))
    }
}
