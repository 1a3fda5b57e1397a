import Synchronization

/// The spans that wait to be sent. Bounded: where they come faster than they are sent, the newest are dropped.
package final class SpanQueue: Sendable {
    private struct State {
        var spans: [TraceSpan] = []
        var dropped = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int = 4096) { self.limit = limit }

    package func add(_ span: TraceSpan) {
        state.withLock { state in
            if state.spans.count < limit { state.spans.append(span) } else { state.dropped += 1 }
        }
    }

    /// The oldest ones.
    package func take(_ count: Int) -> [TraceSpan] {
        state.withLock { state in
            let taken = Array(state.spans.prefix(count))
            state.spans.removeFirst(taken.count)
            return taken
        }
    }

    package var count: Int { state.withLock(\.spans.count) }
    /// How many were lost.
    package var dropped: Int { state.withLock(\.dropped) }

    package func noteDropped(_ count: Int) { state.withLock { $0.dropped += count } }
}
