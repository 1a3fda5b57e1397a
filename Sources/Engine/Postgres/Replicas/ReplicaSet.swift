package import SwiftletEventLoop
import Synchronization

/// The standbys of a database, which take reads from the primary.
///
/// ``ReplicaSetState`` decides where a read may go. The replica then checks in the same round trip that it has what the
/// reader has written, so that neither an address behind which servers change nor a standby that was made anew from an
/// older backup gives an older answer: whatever is not certain is asked of the primary.
package final class ReplicaSet: Sendable {
    package let databases: [Database]
    private let primary: Database
    private let state: Mutex<ReplicaSetState>
    /// Whose copies are read; nil until it is known.
    private let origin = Mutex<Origin?>(nil)
    private let onEvent: @Sendable (ReplicaEvent) -> Void
    private let start = ContinuousClock.now
    private let reads: [Count]
    private let fallbacks = Count()

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
    }

    /// `configurations` are those of the standbys; each is one server.
    package init(
        _ configurations: [DatabaseConfiguration],
        of primary: Database,
        group: EventLoopGroup,
        limits: ReplicaSetState.Limits = ReplicaSetState.Limits(),
        patience: Duration = .seconds(2),
        onEvent: @escaping @Sendable (ReplicaEvent) -> Void
    ) {
        self.primary = primary
        self.onEvent = onEvent
        state = Mutex(ReplicaSetState(count: configurations.count, limits: limits))
        reads = configurations.map { _ in Count() }
        let losses = Losses()
        databases = configurations.enumerated().map { index, configuration in
            var configuration = configuration
            configuration.isReplica = true
            // One that hangs holds its readers up no longer: the primary has time for them then.
            configuration.queryTimeout = min(configuration.queryTimeout, patience)
            configuration.waitTimeout = min(configuration.waitTimeout, patience)
            return Database(configuration: configuration, group: group) { event in
                if case .connectionLost = event { losses.report(index) }
            }
        }
        losses.receiver.withLock { $0 = { [weak self] in self?.take(.replicaFailed($0)) } }
        for database in databases { database.start() }
        // What was prepared before a change of the schema would fail once more on each connection.
        primary.whenSchemaIsRead { [databases] in
            for database in databases { database.forgetPreparedSoon() }
        }
    }

    /// The databases are made before the set that hears of them.
    private final class Losses: Sendable {
        let receiver = Mutex<(@Sendable (Int) -> Void)?>(nil)

        func report(_ index: Int) { receiver.withLock(\.self)?(index) }
    }

    package func shutdown() async {
        for database in databases { await database.shutdown() }
    }

    // MARK: - Reading

    /// Runs statements, of which each only reads, on a replica that has everything up to `position`. nil if there is
    /// none, or if it failed or took too long: then they are the primary's, of which `whenItWrites` is told if they turn
    /// out to write.
    package func read(
        at position: WritePosition,
        _ calls: [StatementCall],
        isIsolated: Bool = false,
        guest: Guest? = nil,
        whenItWrites: () -> Void = {}
    ) async throws(PostgresError) -> [RowsBox]? {
        let now = now
        guard let index = state.withLock({ $0.replica(for: position, at: now) }) else {
            fallbacks.value.add(1, ordering: .relaxed)
            return nil
        }
        var parameters = Parameters()
        parameters.append(position.place.description)
        let parts = [StatementCall(Self.guardStatement, parameters)] + calls
        let failure: StatementGroupError
        do throws(StatementGroupError) {
            var boxes = try await run(parts, on: databases[index], isIsolated: isIsolated, guest)
            // The guard's.
            boxes.removeFirst()
            reads[index].value.add(1, ordering: .relaxed)
            return boxes
        } catch {
            failure = error
        }
        let error = failure.error
        // What took too long here, or waited too long for a connection, has the state of a canceled query, too.
        if error.kind == .cancelled || error.kind == .server && error.state == .queryCancelled { throw error }
        // Callers make errors of their own, which say nothing of the replica.
        if error.state == .divisionByZero, failure.index == 0 {
            take(.replicaIsBehind(index))
        } else if error.state == .readOnlyTransaction {
            whenItWrites()
        } else if error.kind == .timeout {
            take(.readTookTooLong(index, sentAt: now))
        } else if [.connectionFailure, .connectionLostAfterSending].contains(error.kind) {
            take(.replicaFailed(index))
        }
        fallbacks.value.add(1, ordering: .relaxed)
        return nil
    }

    private func run(
        _ calls: [StatementCall],
        on database: Database,
        isIsolated: Bool,
        _ guest: Guest?
    ) async throws(StatementGroupError) -> [RowsBox] {
        isIsolated ? try await database.isolatedGroup(calls, guest: guest) : try await database.queryGroup(calls)
    }

    /// Fails where the reader's last write is not visible; what follows sees at least as much.
    private static let guardStatement = Statement(
        """
        SELECT 1 / CASE WHEN pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= $1::text::pg_lsn THEN 1 ELSE 0 END
        """,
        isReadOnly: true
    )

    // MARK: - Watching

    /// Where the primary is: after everything that was committed before this call.
    package func position() async throws(PostgresError) -> WritePosition {
        try await Self.position(Self.insertPlace, primary)
    }

    /// Asks the primary and each replica how far they are, until the task is cancelled. One that does not answer
    /// delays no other.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.repeatedly { await self.askPrimary() } }
            for index in databases.indices {
                group.addTask { await self.repeatedly { await self.ask(index) } }
            }
        }
    }

    private func repeatedly(_ ask: () async -> Void) async {
        while !Task.isCancelled {
            await ask()
            await pause()
        }
    }

    /// Until it is time to ask again, which is soon once somebody reads.
    private func pause() async {
        let begin = now
        while !Task.isCancelled {
            let now = now
            let interval = state.withLock { $0.interval(at: now) }
            guard now < begin + interval else { return }
            try? await Task.sleep(for: min(interval, Self.glance))
        }
    }

    private static let glance = Duration.milliseconds(200)

    /// Asks all of them once.
    package func ask() async {
        await askPrimary()
        for index in databases.indices { await ask(index) }
    }

    private func askPrimary() async {
        let askedAt = now
        // A primary that is gone writes nothing: the last that was heard of it stays.
        guard let rows = try? await primary.query(Self.flushPlace, .none) else { return }
        let copies = CopiedResult.rows(of: rows)
        guard let position = Self.position(copies), let found = copies.first.flatMap(Origin.init) else { return }
        origin.withLock { $0 = found }
        take(.primaryIsAt(position, askedAt: askedAt))
    }

    private func ask(_ index: Int) async {
        do throws(PostgresError) {
            if origin.withLock({ $0 == nil }) { await askPrimary() }
            let rows = CopiedResult.rows(of: try await databases[index].query(Self.replayPlace, .none))
            guard let known = origin.withLock(\.self) else { return }
            // The places of another cluster say nothing here, nor do its rows, or those of the cluster's other databases.
            let isOurs = rows.first.flatMap(Origin.init) == known
            let position = Self.position(rows)
            take(.replicaIsAt(index, isOurs ? position : nil))
            guard isOurs, position == nil, let timeline = rows.first.flatMap(Self.timeline) else { return }
            primary.saw(ServerHistory(cluster: known.cluster, timeline: timeline), at: databases[index].configuration)
        } catch  where error.kind == .cancelled {
        } catch {
            take(.replicaFailed(index))
        }
    }

    private func take(_ event: ReplicaSetState.Event) {
        let now = now
        for event in state.withLock({ $0.take(event, at: now) }) { onEvent(event) }
    }

    private var now: LoopInstant {
        // The distant past is before every moment of it.
        LoopInstant(nanoseconds: 1) + (ContinuousClock.now - start)
    }

    private static func position(
        _ statement: Statement,
        _ database: Database
    ) async throws(PostgresError) -> WritePosition {
        guard let position = position(CopiedResult.rows(of: try await database.query(statement, .none))) else {
            throw .connectionFailure
        }
        return position
    }

    private static func position(_ rows: [Row]) -> WritePosition? {
        guard let row = rows.first, let timeline = timeline(row),
            let place = row["place"].flatMap({ LogSequenceNumber($0) })
        else { return nil }
        return WritePosition(timeline: timeline, place: place)
    }

    private static func timeline(_ row: Row) -> UInt32? { row["timeline"].flatMap { UInt32($0, radix: 16) } }

    /// The name of a file of the log begins with its timeline.
    private static let insertPlace = Statement(
        """
        SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
            pg_current_wal_insert_lsn()::text AS place
        """,
        isReadOnly: true
    )
    /// What is not durable is not sent to standbys.
    private static let flushPlace = Statement(
        """
        SELECT left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline,
            pg_current_wal_flush_lsn()::text AS place,
            \(Origin.columns)
        """,
        isReadOnly: true
    )
    /// The control file is behind the standby, never ahead of it. The receiver is shown to those who may see statistics.
    private static let replayPlace = Statement(
        """
        SELECT CASE WHEN pg_is_in_recovery() THEN to_hex(greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                (SELECT min_recovery_end_timeline FROM pg_control_recovery()),
                (SELECT received_tli FROM pg_stat_wal_receiver)))
            ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS timeline,
            (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END)::text AS place,
            \(Origin.columns)
        """,
        isReadOnly: true
    )

    // MARK: - Statistics

    package struct Figures: Sendable {
        package let standing: ReplicaStanding
        package let lag: Duration?
        package let reads: Int
    }

    /// One entry per replica.
    package var figures: [Figures] {
        zip(state.withLock(\.figures), reads).map {
            Figures(standing: $0.standing, lag: $0.lag, reads: $1.value.load(ordering: .relaxed))
        }
    }

    /// Reads that would have suited a replica, and went to the primary.
    package var totalFallbacks: Int { fallbacks.value.load(ordering: .relaxed) }
}

/// The database of which a standby has a copy: what PostgreSQL made up with the cluster, and the database's number in it.
private struct Origin: Equatable {
    let cluster: String
    let database: String

    static let columns = """
        (SELECT system_identifier FROM pg_control_system())::text AS cluster,
        (SELECT oid FROM pg_database WHERE datname = current_database())::text AS database
        """

    init?(_ row: Row) {
        guard let cluster = row["cluster"], let database = row["database"] else { return nil }
        (self.cluster, self.database) = (cluster, database)
    }
}
