import SwiftletPostgres

/// The one slot of this database.
struct ReplicationSlot {
    let name: String
    /// That of the server's log.
    let timeline: Int

    /// The name for a database: slots are of the whole cluster.
    static func name(database oid: String) -> String { "swiftlet_realtime_\(oid)" }

    /// Finds the slot, or makes it. A new one begins a new epoch, also when making it was interrupted: only so is
    /// nothing missed without a word.
    static func prepare(
        on stream: ReplicationStream,
        _ log: ChangeLog,
        renewing: Bool
    ) async throws -> ReplicationSlot {
        let oid = try await stream.query("SELECT oid FROM pg_database WHERE datname = current_database()")
        guard let oid = oid.first?.first ?? nil else { throw PostgresError.connectionFailure }
        let slot = ReplicationSlot(name: name(database: oid), timeline: try await timeline(stream))
        let found = try await stream.query(
            """
            SELECT coalesce(wal_status, ''), coalesce(active_pid, 0), confirmed_flush_lsn IS NOT NULL
            FROM pg_replication_slots WHERE slot_name = '\(slot.name)'
            """
        )
        let (state, known) = (try await log.state(), try await log.timeline())
        if let row = found.first {
            // Its reader holds the lock no more, so it is dead, whatever the server still believes.
            if let process = row[1], process != "0" {
                try await stream.query("SELECT pg_terminate_backend(\(Int(process) ?? 0))")
                try await waitUntilFree(slot, stream)
            }
            // One that was copied to a standby goes on there; what clients have seen may not have come over.
            let isOfHere = known == nil || known == slot.timeline
            if !renewing, isOfHere, state.floor != nil, row[0] != "lost", row[2] == "t" {
                if known == nil { try await log.note(timeline: slot.timeline) }
                return slot
            }
            try await stream.query("DROP_REPLICATION_SLOT \(slot.name)")
        }
        let epoch = try await log.beginEpoch()
        let made = try await stream.query("CREATE_REPLICATION_SLOT \(slot.name) LOGICAL pgoutput NOEXPORT_SNAPSHOT")
        guard let text = made.first?.dropFirst().first ?? nil, let start = LogSequenceNumber(text) else {
            throw PostgresError.connectionFailure
        }
        try await log.openEpoch(epoch, at: start, timeline: slot.timeline)
        return slot
    }

    /// It is another after each promotion.
    private static func timeline(_ stream: ReplicationStream) async throws -> Int {
        let system = try await stream.query("IDENTIFY_SYSTEM")
        guard let text = system.first?.dropFirst().first ?? nil, let timeline = Int(text) else {
            throw PostgresError.connectionFailure
        }
        return timeline
    }

    private static func waitUntilFree(_ slot: ReplicationSlot, _ stream: ReplicationStream) async throws {
        for _ in 0..<100 {
            let active = try await stream.query(
                "SELECT active FROM pg_replication_slots WHERE slot_name = '\(slot.name)'"
            )
            if active != [["t"]] { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
