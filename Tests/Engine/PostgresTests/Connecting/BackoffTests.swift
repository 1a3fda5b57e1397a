import Testing

@testable import SwiftletPostgres

@Suite struct BackoffTests {
    @Test func `delays double up to a second, with up to a quarter more`() {
        var backoff = Backoff()
        let delays = (0..<10).map { _ in backoff.next(jitter: 0) }
        #expect(delays == [0, 50, 100, 200, 400, 800, 1000, 1000, 1000, 1000].map { .milliseconds($0) })
        #expect(backoff.next(jitter: 1) == .milliseconds(1250))
    }

    @Test func `a success makes the next attempt immediate again`() {
        var backoff = Backoff()
        for _ in 0..<3 { _ = backoff.next(jitter: 0) }
        backoff.reset()
        #expect(backoff.next(jitter: 1) == .milliseconds(10))
    }
}
