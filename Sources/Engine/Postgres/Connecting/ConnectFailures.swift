import SwiftletEventLoop

/// Decides which failures to connect are reported, out of one per connection and second.
struct ConnectFailures {
    private static let maximumReasons = 8
    private static let limit = Duration.seconds(5)

    /// Those of this outage, each once: a server that is starting gives several in turn.
    private var reasons: Set<String> = []
    /// Since when connections fail while others are up; nil while none does.
    private var missingSince: LoopInstant?
    private var hasReportedMissing = false

    /// What to report when an attempt has failed while `up` of the `wanted` connections were up.
    mutating func note(_ reason: String, loop: Int, up: Int, wanted: Int, at now: LoopInstant) -> DatabaseEvent? {
        guard up > 0 else {
            missingSince = nil
            guard reasons.count < Self.maximumReasons, reasons.insert(reason).inserted else { return nil }
            return .connectionFailed(loop: loop, reason: reason)
        }
        let since = missingSince ?? now
        missingSince = since
        guard !hasReportedMissing, now > since + Self.limit else { return nil }
        hasReportedMissing = true
        return .connectionsMissing(loop: loop, up: up, wanted: wanted, reason: reason)
    }

    mutating func serverIsBack() { reasons = [] }

    mutating func allAreUp() {
        missingSince = nil
        hasReportedMissing = false
    }
}
