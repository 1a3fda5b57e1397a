public import Foundation
public import DeviceLogsClient
public import SwiftletClient

/// Keeps the logs in memory.
public actor MockPoopLogDataSource: PoopLogDataSource {
    private var stored: [UUID: PoopLog]
    private var failure: PoopLogError?

    public init(_ logs: [PoopLog] = []) { stored = Dictionary(logs.map { ($0.id, $0) }) { $1 } }

    /// Lets every call fail from now on; nil lets them succeed again.
    public func fail(with error: PoopLogError?) { failure = error }

    public func logs(from start: Date?, to end: Date?, page: Int, limit: Int) throws -> Page<PoopLog> {
        let found = try chosen(start, end).sorted { $0.loggedAt > $1.loggedAt }
        let skipped = (max(page, 1) - 1) * limit
        return Page(
            data: Array(found.dropFirst(skipped).prefix(limit)),
            total: found.count,
            page: page,
            limit: limit,
            hasMore: skipped + limit < found.count
        )
    }

    public func add(_ log: PoopLog) throws -> PoopLog {
        if let failure { throw failure }
        stored[log.id] = log
        return log
    }

    public func update(_ log: PoopLog) throws -> PoopLog {
        if let failure { throw failure }
        guard stored[log.id] != nil else { throw PoopLogError.notFound }
        stored[log.id] = log
        return log
    }

    public func delete(_ id: UUID) throws {
        if let failure { throw failure }
        stored[id] = nil
    }

    /// Sums; streaks are the server's to count.
    public func stats(from start: Date?, to end: Date?) throws -> PoopLogStats {
        let found = try chosen(start, end)
        var stats = PoopLogStats()
        stats.total = found.count
        stats.totalDurationSeconds = found.reduce(0) { $0 + $1.duration }
        stats.averageDurationSeconds = found.isEmpty ? 0 : Double(stats.totalDurationSeconds) / Double(found.count)
        stats.flushFundsEarned = found.reduce(0) { $0 + $1.flushFundsEarned }
        stats.byRating = found.reduce(into: [:]) { $0[$1.rating.rawValue, default: 0] += 1 }
        return stats
    }

    private func chosen(_ start: Date?, _ end: Date?) throws -> [PoopLog] {
        if let failure { throw failure }
        return stored.values.filter { $0.loggedAt >= start ?? .distantPast && $0.loggedAt <= end ?? .distantFuture }
    }
}
