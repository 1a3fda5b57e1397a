import SwiftletEventLoop

/// Whether the server is there, as far as a pool can tell by its connections and by their answers.
struct Availability {
    private let grace: Duration
    private var silence: OutageDetector
    private var failures = ConnectFailures()
    private(set) var connectionsUp = 0
    /// When the last connection was lost; nil while one is up.
    private var downSince: LoopInstant?

    /// `grace` is how long the server may be without a connection before it counts as gone.
    init(grace: Duration, silenceLimit: Duration) {
        self.grace = grace
        silence = OutageDetector(limit: silenceLimit)
    }

    /// True when no connection has been up for longer than the grace, or none answers.
    func isOut(at now: LoopInstant) -> Bool {
        if silence.isOutage { return true }
        guard let downSince else { return false }
        return now > downSince + grace
    }

    mutating func started(at now: LoopInstant) { downSince = now }

    /// One of the `wanted` connections is up; true when the server is back with it.
    mutating func connected(wanted: Int) -> Bool {
        connectionsUp += 1
        if connectionsUp == wanted { failures.allAreUp() }
        // What ends a silent outage is that ``OutageDetector`` hears an answer.
        guard connectionsUp == 1, !silence.isOutage else { return false }
        isBack()
        return true
    }

    mutating func disconnected(at now: LoopInstant) {
        connectionsUp -= 1
        if connectionsUp == 0 { downSince = now }
    }

    /// What to report when an attempt to connect has failed.
    mutating func failedToConnect(_ reason: String, loop: Int, wanted: Int, at now: LoopInstant) -> DatabaseEvent? {
        // During a silent outage, connections that are up are no proof of anything.
        let up = silence.isOutage ? 0 : connectionsUp
        return failures.note(reason, loop: loop, up: up, wanted: wanted, at: now)
    }

    /// See ``OutageDetector/look(waitingSince:heardAt:at:)``.
    mutating func look(waitingSince: LoopInstant?, heardAt: LoopInstant, at now: LoopInstant) -> OutageDetector.Action {
        let action = silence.look(waitingSince: waitingSince, heardAt: heardAt, at: now)
        if action == .endOutage { isBack() }
        return action
    }

    private mutating func isBack() {
        downSince = nil
        failures.serverIsBack()
    }
}
