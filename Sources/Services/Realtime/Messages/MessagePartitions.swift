import SwiftletPostgres

/// Keeps the days of `realtime.messages`: those to come are made, those that are over three days old go.
struct MessagePartitions: Sendable {
    private static let interval = Duration.seconds(6 * 3600)
    private static let retry = Duration.seconds(60)

    let database: Database

    /// Until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let isDone = (try? await keep()) != nil
            try? await Task.sleep(for: isDone ? Self.interval : Self.retry)
        }
    }

    /// Where the table is another's, so are its partitions.
    func keep() async throws {
        let known = try await database.query("SELECT to_regproc('swiftlet.keep_messages') IS NOT NULL AS ours")
        guard try known.first?.decode(Bool.self, "ours") == true else { return }
        try await database.query("SELECT swiftlet.keep_messages()")
    }
}
