extension EventLoop {
    /// Runs async work on this loop: directly when it is the current one, else by a hop there and back.
    ///
    /// The compiler drops a hop when it sees nothing after it that needs the executor, and an `async` call on the
    /// caller's executor does not count (Swift 6.3). The preconditions do need it, and so force the hops.
    package func onLoop<Value: Sendable, Failure>(
        _ work: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if isCurrent { return try await work() }
        do throws(Failure) {
            let value = try await hop(work)
            precondition(!isCurrent, "the caller was not brought back from the loop")
            return value
        } catch {
            precondition(!isCurrent, "the caller was not brought back from the loop")
            throw error
        }
    }

    @concurrent private func hop<Value: Sendable, Failure>(
        _ work: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await withTaskExecutorPreference(self) { () async throws(Failure) -> Value in
            try await onPreferredExecutor(work)
        }
    }

    @concurrent private func onPreferredExecutor<Value: Sendable, Failure>(
        _ work: @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        precondition(isCurrent, "the task was not brought to the loop")
        return try await work()
    }
}
