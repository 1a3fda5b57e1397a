import Logging
import SwiftletPostgres

extension JobWorker {
    // MARK: - Strangers

    private static let strangersInterval = Duration.seconds(3600)

    /// Says at the start, and each hour, which jobs wait for a function that no server has any more.
    func watchStrangers() async {
        while !Task.isCancelled {
            do throws(PostgresError) {
                let unknownJobs = try await queue.unknownJobs(to: registry.names)
                if !unknownJobs.isEmpty {
                    let jobs = unknownJobs.joined(separator: ", ")
                    logger.warning(
                        "jobs wait that no function declares: cancel them, or deploy the function",
                        metadata: ["jobs": "\(jobs)"]
                    )
                }
                try? await Task.sleep(for: Self.strangersInterval)
            } catch {
                // The dispatch reports what is wrong with the database.
                try? await Task.sleep(for: settings.poll)
            }
        }
    }

    // MARK: - Pruning

    private static let pruneInterval = Duration.seconds(60)
    private static let pruneBatch = 1000

    /// Forgets old history in small batches, while this server is at work.
    func prune() async {
        var known = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.pruneInterval)
            let attempts = metrics.snapshot.reduce(0) { $0 + $1.count.attempts }
            guard attempts != known, !Task.isCancelled else { continue }
            known = attempts
            for (word, age) in [
                ("done", settings.keepsDone), ("cancelled", settings.keepsDone), ("failed", settings.keepsFailed),
            ] {
                while !Task.isCancelled,
                    let count = try? await queue.prune(word, olderThan: age, Self.pruneBatch), count == Self.pruneBatch
                {}
            }
        }
    }
}
