import SwiftletEventLoop

/// Decides when a server that neither answers nor closes counts as lost: its host is dead, cut off or frozen.
///
/// One silent connection proves nothing, as its statement may be slow. So the idle connections are
/// probed, or a new one if there is none, and only when none at all has answered for the limit, it is
/// an outage. It ends with the first answer.
struct OutageDetector {
    enum Action: Equatable {
        case none
        /// Ask for a sign of life on every idle connection, or on a new one.
        case probe
        case beginOutage
        case endOutage
        /// Close the connections that have not answered since: their server, or the way to it, has not come back.
        case closeSilent(since: LoopInstant)
    }

    private enum Phase {
        case listening(Probe?)
        case outage(since: LoopInstant)
        /// The server is back, and has until then to answer on the connections that it still knows.
        case recovering(since: LoopInstant, until: LoopInstant)
    }

    /// A request for a sign of life that nothing has answered yet.
    private struct Probe {
        let sentAt: LoopInstant
        /// How long this process has slept since.
        var slept = Duration.zero
    }

    private static let grace = Duration.seconds(1)
    /// A longer time without a look does not count: it was this process that slept, and answers may lie unread.
    private static let sleep = Duration.milliseconds(500)

    private let limit: Duration
    private var phase = Phase.listening(nil)
    private var lookedAt = LoopInstant.distantPast

    init(limit: Duration) { self.limit = limit }

    var isOutage: Bool {
        if case .outage = phase { true } else { false }
    }

    /// To be called regularly while anything is in flight. `waitingSince` is when the oldest of that was sent, nil if
    /// there is none; `heardAt` is when the server last answered on any connection.
    mutating func look(waitingSince: LoopInstant?, heardAt: LoopInstant, at now: LoopInstant) -> Action {
        defer { lookedAt = now }
        switch phase {
        case .listening(var probe):
            if now > lookedAt + Self.sleep { probe?.slept += now - lookedAt }
            return listen(waitingSince: waitingSince, heardAt: heardAt, probe, at: now)
        case .outage(let since):
            guard heardAt > since else { return .none }
            phase = .recovering(since: since, until: now + Self.grace)
            return .endOutage
        case .recovering(let since, let until):
            guard now >= until else { return .none }
            phase = .listening(nil)
            return .closeSilent(since: since)
        }
    }

    private mutating func listen(
        waitingSince: LoopInstant?,
        heardAt: LoopInstant,
        _ probe: Probe?,
        at now: LoopInstant
    ) -> Action {
        let silentSince = waitingSince.map { max($0, heardAt) } ?? now
        guard now >= silentSince + limit / 3 else {
            phase = .listening(nil)
            return .none
        }
        guard let probe, probe.sentAt >= heardAt else {
            phase = .listening(Probe(sentAt: now))
            return .probe
        }
        phase = .listening(probe)
        guard now >= probe.sentAt + probe.slept + limit / 3 * 2 else { return .none }
        phase = .outage(since: now)
        return .beginOutage
    }
}
