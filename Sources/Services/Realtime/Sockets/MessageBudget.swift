import SwiftletEventLoop

/// How much may come in a time: what is not used is kept up to the whole of it.
struct MessageBudget {
    private let maximum: Double
    private let perNanosecond: Double
    private var left: Double
    private var last: LoopInstant

    init(_ count: Int, per time: Duration, at now: LoopInstant) {
        maximum = Double(max(1, count))
        perNanosecond = maximum / Double(max(1, time.wholeNanoseconds))
        left = maximum
        last = now
    }

    /// False when it is used up.
    mutating func take(at now: LoopInstant) -> Bool {
        left = min(maximum, left + Double(now.nanoseconds - last.nanoseconds) * perNanosecond)
        last = now
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
