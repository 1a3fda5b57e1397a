package import SwiftletEventLoop

/// A connection in replication mode: first for simple queries, such as those that make a slot, then for the changes of
/// one slot.
///
/// It is not for a pooler, which passes no replication on. For one task at a time; a cancelled task closes it.
package final class ReplicationStream: Sendable {
    private let connection: LoopBound<ReplicationConnection>
    private let observation: PrimaryFence.Observation?
    /// Whether this or the database's pool may be connected to one server and soon to another.
    package let mayMove: Bool

    private init(
        _ connection: LoopBound<ReplicationConnection>,
        leavingPrimariesBy fence: PrimaryFence?,
        mayMove: Bool
    ) {
        self.connection = connection
        self.mayMove = mayMove
        observation = fence?.observe { newest in
            connection.loop.execute { connection.value.leavePrimary(before: newest) }
        }
    }

    deinit { close() }

    /// Connects, with the right to replicate, to the database that a libpq URI or `key=value` text names.
    package static func connect(
        to url: String,
        timeout: Duration = .seconds(5),
        on loop: EventLoop
    ) async throws(PostgresError) -> ReplicationStream {
        guard let settings = ConnectionSettings(parsing: url) else { throw .connectionFailure }
        return try await connect(settings, timeout: timeout, on: loop)
    }

    static func connect(
        _ settings: ConnectionSettings,
        fence: PrimaryFence? = nil,
        mayMove: Bool = false,
        timeout: Duration = .seconds(5),
        on loop: EventLoop
    ) async throws(PostgresError) -> ReplicationStream {
        SessionEnvironment.prepare()
        let stream = await loop.run {
            let connection = ReplicationConnection(fence: fence, on: loop)
            return ReplicationStream(LoopBound(connection, on: loop), leavingPrimariesBy: fence, mayMove: mayMove)
        }
        let error: PostgresError? = await stream.wait { connection, resume in
            connection.connect(settings.forReplication(), timeout: timeout, resume)
        }
        if let error { throw error }
        return stream
    }

    /// Runs one simple query, which must come from a literal: there are no parameters here.
    @discardableResult
    package func query(_ text: String) async throws(PostgresError) -> [[String?]] {
        try await wait { connection, resume in connection.ask(text, resume) }.get()
    }

    /// Starts the slot's stream, at `start` or at what was confirmed last if that is later. Names of other than
    /// lower-case letters, digits and underscores are refused.
    package func start(
        slot: String,
        publication: String,
        from start: LogSequenceNumber = .zero
    ) async throws(PostgresError) {
        guard Self.isPlain(slot), Self.isPlain(publication) else {
            throw PostgresError(
                kind: .invalidParameters,
                state: .invalidParameterValue,
                message: "a slot's name is not plain"
            )
        }
        let command = """
            START_REPLICATION SLOT \(slot) LOGICAL \(start) (proto_version '1', publication_names '\(publication)')
            """
        let error: PostgresError? = await wait { connection, resume in
            connection.stream(command, from: start, resume)
        }
        if let error { throw error }
    }

    /// The messages that have arrived since the last call, at least one, in order.
    package func next() async throws(PostgresError) -> [LogicalMessage] {
        try await wait { connection, resume in connection.take(resume) }.get()
    }

    /// Says that nothing before this is needed any more: it is never sent again.
    package func confirm(_ position: LogSequenceNumber) {
        connection.loop.execute { [connection] in connection.value.confirm(position) }
    }

    /// How far the server has read its log, and what was confirmed; nil when it does not stream.
    package func positions() async -> (received: LogSequenceNumber, confirmed: LogSequenceNumber)? {
        await connection.loop.run { [connection] in connection.value.positions }
    }

    package func close() { connection.loop.execute { [connection] in connection.value.close() } }

    private func wait<Value: Sendable>(
        _ begin: @escaping @Sendable (ReplicationConnection, @escaping (Value) -> Void) -> Void
    ) async -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                connection.loop.execute { [connection] in
                    begin(connection.value) { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            close()
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count < 64
            && name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
    }
}
