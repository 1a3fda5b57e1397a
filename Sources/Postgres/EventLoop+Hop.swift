import EventLoop

extension EventLoop {
    /// Runs async work on this loop: at once when it is the current one, else by a hop there and back.
    func onLoop<Value: Sendable>(
        _ work: @Sendable () async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        if isCurrent { return try await work() }
        return try await withTaskExecutorPreference(self) { () async throws(PostgresError) -> Value in
            try await Self.anywhere(work)
        }
    }

    /// Leaves the caller's actor, so that the task's preferred executor decides where the work runs.
    @concurrent private static func anywhere<Value: Sendable>(
        _ work: @Sendable () async throws(PostgresError) -> Value
    ) async throws(PostgresError) -> Value {
        try await work()
    }
}
