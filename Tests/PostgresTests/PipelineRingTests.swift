import Testing

@testable import Postgres

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
}
