import Synchronization

/// One receiver of changes: from the hub while it keeps up, from the log while it does not.
package final class ChangeSubscriber: Sendable {
    enum Mode: Equatable, Sendable {
        case live
        /// It reads the log, or has no room.
        case behind
        case closed
    }

    private struct State {
        var mode = Mode.behind
        /// All that lies up to here is delivered, or not for this subscriber.
        var position: ChangePosition
        /// All behind it is delivered, or will be.
        var start: ChangePosition
        /// Counts the changes of mode, so that a delivery from before one is dropped.
        var generation = 0
        var isReading = false
        var caller: ChangeCaller
    }

    let requests: [BoundRequest]
    private let deliver: @Sendable (ChangeDelivery) -> Bool
    private let readLog: @Sendable (ChangeSubscriber) -> Void
    private let state: Mutex<State>

    /// `deliver` is called by one task at a time. It returns false to refuse what it gets: it is given the same again
    /// after ``resume()``.
    init(
        _ requests: [BoundRequest],
        caller: ChangeCaller,
        at position: ChangePosition,
        deliver: @escaping @Sendable (ChangeDelivery) -> Bool,
        readLog: @escaping @Sendable (ChangeSubscriber) -> Void
    ) {
        self.requests = requests
        self.deliver = deliver
        self.readLog = readLog
        state = Mutex(State(position: position, start: position, caller: caller))
    }

    package var position: ChangePosition { state.withLock(\.position) }

    /// The position behind which it was subscribed.
    package var start: ChangePosition { state.withLock(\.start) }

    var caller: ChangeCaller { state.withLock(\.caller) }

    var isClosed: Bool { state.withLock { $0.mode == .closed } }

    /// The claims for all that follows.
    package func renew(_ caller: ChangeCaller) { state.withLock { $0.caller = caller } }

    package func close() {
        state.withLock { state in
            state.mode = .closed
            state.generation += 1
        }
    }

    /// There is room again.
    package func resume() {
        let mustRead = state.withLock { state in
            guard state.mode == .behind, !state.isReading else { return false }
            state.isReading = true
            return true
        }
        if mustRead { readLog(self) }
    }

    // MARK: - The hub's side

    /// Where a live subscriber stands.
    struct LiveMark: Sendable {
        let generation: Int
        let position: ChangePosition
    }

    /// nil unless it is live.
    var liveMark: LiveMark? {
        state.withLock { $0.mode == .live ? LiveMark(generation: $0.generation, position: $0.position) : nil }
    }

    func begin(live: Bool) {
        state.withLock { state in
            state.start = state.position
            if state.mode != .closed { state.mode = live ? .live : .behind }
        }
    }

    /// Delivers the page that ends with `last` to a subscriber that was live at the mark; one without room falls behind.
    /// What lies before the mark it has from the log: it may have gone live while the hub was reading the same page.
    func deliverLive(_ deliveries: [ChangeDelivery], through last: ChangePosition, since mark: LiveMark) {
        for delivery in deliveries where delivery.position > mark.position {
            guard deliverLive(delivery, mark.generation) else { return }
        }
        state.withLock { state in
            if state.mode == .live, state.generation == mark.generation { state.position = max(state.position, last) }
        }
    }

    /// False when it is live no longer.
    private func deliverLive(_ delivery: ChangeDelivery, _ generation: Int) -> Bool {
        guard state.withLock({ $0.mode == .live && $0.generation == generation }) else { return false }
        let isTaken = deliver(delivery)
        return state.withLock { state in
            guard state.generation == generation else { return false }
            if isTaken {
                state.position = delivery.position
            } else {
                state.mode = .behind
                state.generation += 1
            }
            return isTaken
        }
    }

    /// Lets a live one read the log, as it lacks something of it.
    func fallBehind() {
        state.withLock { state in
            guard state.mode == .live else { return }
            state.mode = .behind
            state.generation += 1
        }
        resume()
    }

    /// Delivers what was read from the log. False when it is to be read no further.
    func deliverLogged(_ delivery: ChangeDelivery) -> Bool {
        guard state.withLock({ $0.mode == .behind }) else { return stopReading() }
        guard deliver(delivery) else { return stopReading() }
        state.withLock { $0.position = delivery.position }
        return true
    }

    func passLogged(to position: ChangePosition) { state.withLock { $0.position = position } }

    /// Goes live if nothing lies between it and the hub.
    func catchUp(with hub: ChangePosition) -> Bool {
        state.withLock { state in
            guard state.mode == .behind else {
                state.isReading = false
                return true
            }
            guard state.position >= hub else { return false }
            state.mode = .live
            state.generation += 1
            state.isReading = false
            return true
        }
    }

    private func stopReading() -> Bool {
        state.withLock { $0.isReading = false }
        return false
    }
}

extension ChangeDelivery {
    package var position: ChangePosition {
        switch self {
        case .change(let position, _, _, _), .reset(let position): position
        }
    }
}
