package import Logging
package import SwiftletEventLoop
package import SwiftletPostgres
import Synchronization

/// Reads the changes of the published tables and writes them into the log, on one server at a time.
///
/// The servers wait for one advisory lock. It belongs to the session that then streams, so that who streams is who was
/// elected, and its loss is the end of both. What is confirmed to PostgreSQL is in the log; what was not comes again at
/// the same positions, and the log refuses what it has.
package final class ChangeReader: Sendable {
    /// What the reader is doing, for operators.
    package enum Condition: Equatable, Sendable {
        case connecting
        /// Another server reads.
        case waiting
        /// Nothing is published, or the server cannot replicate; the text says what to do.
        case idle(String)
        case reading
    }

    /// Supabase's name, so that the tables of its projects need nothing.
    package static let publication = "supabase_realtime"

    private static let maximumEntries = 500
    private static let maximumBytes = 2_000_000
    /// After some fifteen seconds.
    private static let hopelessFailures = 8
    private static let rotationPause = Duration.seconds(1)
    private static let looksPerRing = 150

    private let settings: ChangeSettings
    private let log: ChangeLog
    private let database: Database
    private let loop: EventLoop
    private let logger: Logger
    private let onChanges: @Sendable () -> Void
    private let state = Mutex(Condition.connecting)
    /// Sessions in a row that came to nothing.
    private let failures = Mutex(0)
    /// Batches that it has written.
    private let written = Mutex(0)
    private let signal: AsyncSignal

    /// `onChanges` is called when the log has got more.
    package init(
        _ settings: ChangeSettings,
        database: Database,
        on loop: EventLoop,
        logger: Logger,
        onChanges: @escaping @Sendable () -> Void
    ) {
        self.settings = settings
        self.database = database
        log = ChangeLog(database: database)
        self.loop = loop
        signal = AsyncSignal(on: loop)
        self.logger = logger
        self.onChanges = onChanges
    }

    package var condition: Condition { state.withLock(\.self) }

    /// Here or on another server, now or as soon as the database answers. Who is refused again and again, as a role that
    /// may not replicate, is not expected to.
    var isExpectedToRead: Bool {
        if case .idle = condition { return false }
        return failures.withLock(\.self) < Self.hopelessFailures
    }

    /// To be called when there may be something to read now.
    package func look() {
        if case .idle = condition { signal.raise() }
    }

    /// Reads until the task is cancelled.
    package func run() async {
        var renewsSlot = false
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let before = written.withLock(\.self)
            do {
                try await readOnce(attempt: failures.withLock(\.self), renewsSlot: renewsSlot)
                renewsSlot = false
                failures.withLock { $0 = 0 }
            } catch {
                if Task.isCancelled { return }
                // Who has got on was broken off, and may go on at once.
                let hasRead = written.withLock(\.self) > before || ContinuousClock.now - start > .seconds(10)
                let failures = failures.withLock { failures in
                    failures = hasRead ? 1 : failures + 1
                    return failures
                }
                // The publication was made anew: what the slot still has is from a time without it, and cannot be read.
                renewsSlot = (error as? PostgresError)?.state == .undefinedObject
                if failures == 1 || failures % 60 == 0 {
                    logger.warning("changes of rows are not read", metadata: ["cause": "\(Self.describe(error))"])
                }
                set(.connecting)
                try? await Task.sleep(for: .milliseconds(min(5000, 50 << min(failures, 7))))
            }
        }
    }

    private static func describe(_ error: any Error) -> String {
        (error as? PostgresError)?.message ?? "\(error)"
    }

    private func set(_ condition: Condition) {
        let isNew = state.withLock { state in
            let isNew = state != condition
            state = condition
            return isNew
        }
        guard isNew else { return }
        switch condition {
        case .idle(let reason): logger.info("no changes of rows are read", metadata: ["cause": "\(reason)"])
        case .reading: logger.info("changes of rows are read")
        case .connecting, .waiting: break
        }
    }

    /// One session, until it ends. Returns when there is nothing to read.
    private func readOnce(attempt: Int, renewsSlot: Bool) async throws {
        if let reason = try await obstacle() {
            set(.idle(reason))
            return await signal.wait(atMost: settings.recheck)
        }
        let stream = try await database.replicationStream(at: settings.url, attempt: attempt, on: loop)
        defer { stream.close() }
        guard try await isElected(stream) else { return set(.waiting) }
        let slot = try await ReplicationSlot.prepare(on: stream, log, renewing: renewsSlot)
        try await stream.start(slot: slot.name, publication: Self.publication)
        set(.reading)
        onChanges()
        try await follow(stream, try await log.state(), timeline: try await timeline(of: slot, on: stream))
    }

    /// That of the slot; nil where there is one server only, or servers do not say theirs, as some managed ones.
    private func timeline(
        of slot: ReplicationSlot,
        on stream: ReplicationStream
    ) async throws(PostgresError) -> Int? {
        guard stream.mayMove else { return nil }
        do {
            try await database.query("SELECT pg_walfile_name(pg_current_wal_insert_lsn())")
            return slot.timeline
        } catch {
            guard error.kind == .server, ["42", "0A"].contains(error.state.errorClass) else { throw error }
            return nil
        }
    }

    private func obstacle() async throws -> String? {
        let rows = try await database.query(
            """
            SELECT current_setting('wal_level') AS level,
                (SELECT count(*) FROM pg_catalog.pg_publication_tables WHERE pubname = 'supabase_realtime') AS tables,
                (SELECT rolsuper OR rolreplication FROM pg_catalog.pg_roles WHERE rolname = current_user) AS may,
                to_regclass('swiftlet.changes') IS NULL AS is_bare
            """
        )
        guard let row = rows.first else { return "the database does not answer" }
        if row["is_bare"] == "t" { return "the log's tables are missing: run swiftlet migrate" }
        if row["tables"] == "0" { return "no table is published: run swiftlet realtime add" }
        if row["level"] != "logical" { return "wal_level is \(row["level"] ?? "unknown"), not logical" }
        return nil
    }

    /// Waits for its turn, in one statement after another, as each holds up the cleaning of all tables.
    private func isElected(_ stream: ReplicationStream) async throws(PostgresError) -> Bool {
        let milliseconds = Int(settings.electionWait.components.seconds) * 1000
        try await stream.query("SET lock_timeout = \(milliseconds)")
        if try await stream.query("SELECT pg_try_advisory_lock(\(Self.lock))") == [["t"]] { return true }
        set(.waiting)
        do {
            try await stream.query("SELECT pg_advisory_lock(\(Self.lock))")
            return true
        } catch {
            guard error.state == .lockNotAvailable else { throw error }
            return false
        }
    }

    /// "swftlive" in ASCII: of one database, as advisory locks are.
    private static let lock = 0x7377_6674_6C69_7665

    // MARK: - The stream

    private func follow(_ stream: ReplicationStream, _ state: ChangeLog.State, timeline: Int?) async throws {
        var assembler = TransactionAssembler()
        var forms = TypeForms()
        var batch: [ChangeLog.Entry] = []
        var bytes = 0
        var last = state.last
        var sinceRotation = 0
        var looked: ContinuousClock.Instant?
        while true {
            var confirmed: LogSequenceNumber?
            for message in try await stream.next() {
                switch try assembler.add(message) {
                case nil: break
                case .end(let end): confirmed = end
                case .changes(let changes):
                    for change in changes {
                        let position = ChangePosition(epoch: state.epoch, commit: change.commit, index: change.index)
                        // Our own tables, where everything is published; and what was logged, but not confirmed.
                        guard change.relation.schema != "swiftlet", position > last else { continue }
                        last = position
                        let entry = try await entry(change, &forms)
                        batch.append(entry)
                        bytes += entry.bytes
                    }
                    guard batch.count >= Self.maximumEntries || bytes >= Self.maximumBytes else { continue }
                    try await write(&batch, state.epoch, timeline)
                    (sinceRotation, bytes) = (sinceRotation + bytes, 0)
                }
            }
            try await write(&batch, state.epoch, timeline)
            (sinceRotation, bytes) = (sinceRotation + bytes, 0)
            if let confirmed { stream.confirm(confirmed) }
            // A part of the ring is full or old: no more often than that may be so, as each look is a transaction.
            let isDue = looked.map { ContinuousClock.now - $0 > Self.rotationPause } ?? true
            if sinceRotation > 0, isDue || sinceRotation >= settings.maximumLogBytes / Self.looksPerRing {
                try await log.rotate(settings)
                (sinceRotation, looked) = (0, .now)
            }
        }
    }

    private func write(_ batch: inout [ChangeLog.Entry], _ epoch: Int, _ timeline: Int?) async throws {
        guard !batch.isEmpty else { return }
        guard try await log.append(batch, epoch: epoch, timeline: timeline) else { throw ChangeReaderError.superseded }
        batch.removeAll(keepingCapacity: true)
        written.withLock { $0 += 1 }
        onChanges()
    }

    private func entry(
        _ change: TransactionAssembler.Change,
        _ forms: inout TypeForms
    ) async throws(PostgresError) -> ChangeLog.Entry {
        let forms = try await forms.forms(of: change.relation, database)
        let new = change.new.map {
            RowWriter.object($0, of: change.relation, forms, filledFrom: change.old?.image)
        }
        // Without an old row the identity has not changed: the new row has it.
        let old: String? =
            switch (change.old, change.new) {
            case (.full(let old)?, _): RowWriter.object(old, of: change.relation, forms)
            case (.key(let old)?, _): RowWriter.object(old, of: change.relation, forms, keyOnly: true)
            case (nil, let new?) where change.operation == .update:
                RowWriter.object(new, of: change.relation, forms, keyOnly: true)
            case (nil, _): nil
            }
        return ChangeLog.Entry(
            commit: change.commit,
            index: change.index,
            transaction: change.transaction,
            committedAt: change.committedAt,
            relation: change.relation.id,
            operation: change.operation,
            new: new,
            old: old,
            oldIsWhole: change.old?.isFull ?? false
        )
    }
}

/// Why a reader gives up its session.
enum ChangeReaderError: Error, CustomStringConvertible {
    /// Another reader has written behind our back, or another PostgreSQL server was promoted.
    case superseded

    var description: String { "another server has taken over" }
}
