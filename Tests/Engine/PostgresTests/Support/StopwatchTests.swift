import Testing

@testable import SwiftletTesting

/// Limits of time would be no checks if it took off anything else.
struct StopwatchTests {
    @Test func `reads what the host took, of all processors together`() {
        let text = "cpu  11 22 33 44 55 66 77 250 99 10\ncpu0 1 2 3 4 5 6 7 8 9 10\n"
        #expect(Stopwatch.stolen(in: text, ticksPerSecond: 100) == .seconds(2.5))
        // Before Linux 2.6.11.
        #expect(Stopwatch.stolen(in: "cpu  11 22 33 44 55 66 77\n", ticksPerSecond: 100) == .zero)
        #expect(Stopwatch.stolen(in: "", ticksPerSecond: 100) == .zero)
    }

    @Test(arguments: [(10, 0, 10), (10, 3, 7), (100, 80, 25), (100, 190, 25)])
    func `counts a quarter of the time, whatever is taken`(wall: Int, stolen: Int, elapsed: Int) {
        #expect(Stopwatch.elapsed(wallTime: .seconds(wall), stolen: .seconds(stolen)) == .seconds(elapsed))
    }

    @Test func `takes off no more than was stolen`() async throws {
        let stopwatch = Stopwatch()
        try await Task.sleep(for: .milliseconds(300))
        let elapsed = stopwatch.elapsed
        #expect(elapsed >= .milliseconds(300) - stopwatch.stolen)
        #expect(elapsed <= stopwatch.wallTime)
    }
}
