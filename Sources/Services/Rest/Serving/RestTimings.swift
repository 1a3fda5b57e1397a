import Synchronization

/// How long the steps of one request took, for `Server-Timing` (W3C Server Timing), under PostgREST's names.
final class RestTimings: Sendable {
    enum Step: String {
        case token = "jwt"
        case parsing = "parse"
        case planning = "plan"
        case transaction
        case response
    }

    private let state = Mutex((last: ContinuousClock.now, steps: [(step: Step, duration: Duration)]()))

    /// Ends a step; it began where the one before ended. The first end of each counts.
    func end(_ step: Step) {
        state.withLock { state in
            guard !state.steps.contains(where: { $0.step == step }) else { return }
            let now = ContinuousClock.now
            state.steps.append((step, now - state.last))
            state.last = now
        }
    }

    /// `jwt;dur=0.1, parse;dur=0.0`, in milliseconds.
    var header: String {
        state.withLock { state in
            state.steps.map { step, duration in
                let tenths = duration / .microseconds(100)
                return "\(step.rawValue);dur=\(Int(tenths) / 10).\(Int(tenths) % 10)"
            }.joined(separator: ", ")
        }
    }
}
