import Testing

@testable import SwiftletJobs

@Suite struct RetryPolicyTests {
    @Test(arguments: [(1, 5), (2, 10), (3, 20), (9, 1280)])
    func `the pause doubles`(attempt: Int, seconds: Int) {
        #expect(RetryPolicy().pause(afterAttempt: attempt, jitter: 0) == .seconds(seconds))
    }

    @Test func `it grows up to an hour, with a quarter of jitter`() {
        var policy = RetryPolicy()
        policy.attempts = 100
        #expect(policy.pause(afterAttempt: 99, jitter: 1) == .seconds(4500))
        #expect(policy.pause(afterAttempt: 1, jitter: 0.5) == .milliseconds(5625))
    }

    @Test func `after the last attempt there is none`() {
        #expect(RetryPolicy().pause(afterAttempt: 10, jitter: 0) == nil)
    }
}
