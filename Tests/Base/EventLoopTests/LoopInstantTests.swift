import SwiftletEventLoop
import Testing

@Suite struct LoopInstantTests {
    @Test(arguments: [
        (Duration.seconds(Int64.max), Int64.max),
        (.seconds(-Int64.max), Int64.min),
        (.nanoseconds(1), 1),
        (.seconds(2) + .milliseconds(5), 2_005_000_000),
        (.seconds(9_223_372_036) + .milliseconds(900), Int64.max),
    ])
    func `a duration in nanoseconds is clamped`(duration: Duration, expected: Int64) {
        #expect(duration.wholeNanoseconds == expected)
    }

    @Test
    func `adding too much gives the distant future`() {
        #expect(LoopInstant(nanoseconds: 5) + .seconds(Int64.max) == .distantFuture)
        #expect(LoopInstant(nanoseconds: 5) + .nanoseconds(3) == LoopInstant(nanoseconds: 8))
        #expect(LoopInstant(nanoseconds: 5) - LoopInstant(nanoseconds: 3) == .nanoseconds(2))
    }
}
