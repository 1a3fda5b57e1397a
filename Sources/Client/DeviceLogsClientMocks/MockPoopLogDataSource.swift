public import DeviceLogsClient
public import Foundation
import SwiftletClient

/// Keeps the logs of one device in memory.
///
///     let logs = MockPoopLogDataSource([PoopLog(duration: 60, rating: .good)])
///     logs.failure = .offline
public final class MockPoopLogDataSource: PoopLogDataSourceProtocol {
    private struct State: Sendable {
        var logs: [UUID: PoopLog]
        var failure: PoopLogError?
    }

    private let state: Locked<State>

    public init(_ logs: [PoopLog] = []) {
        state = Locked(State(logs: Dictionary(logs.map { ($0.id, $0) }) { $1 }))
    }

    /// What every call throws from now on; nil lets them succeed again.
    public var failure: PoopLogError? {
        get { state.withLock(\.failure) }
        set { state.withLock { $0.failure = newValue } }
    }

    /// The newest first.
    public var logs: [PoopLog] {
        state.withLock { $0.logs.values.sorted { $0.loggedAt > $1.loggedAt } }
    }

    public func fetchLogs(for deviceId: UUID, limit: Int, offset: Int) async throws -> [PoopLog] {
        if let failure { throw failure }
        return Array(logs.dropFirst(max(0, offset)).prefix(max(0, limit)))
    }

    public func fetchLogs(from start: Date, to end: Date) async throws -> [PoopLog] {
        if let failure { throw failure }
        return logs.filter { start <= $0.loggedAt && $0.loggedAt <= end }
    }

    @discardableResult
    public func createLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog {
        if let failure { throw failure }
        state.withLock { $0.logs[log.id] = log }
        return log
    }

    @discardableResult
    public func updateLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog {
        _ = try await fetchLog(id: log.id, deviceId: deviceId)
        state.withLock { $0.logs[log.id] = log }
        return log
    }

    /// One that is gone already is deleted too.
    public func deleteLog(id: UUID, deviceId: UUID) async throws {
        if let failure { throw failure }
        state.withLock { $0.logs[id] = nil }
    }

    public func fetchLog(id: UUID, deviceId: UUID) async throws -> PoopLog {
        if let failure { throw failure }
        guard let log = state.withLock({ $0.logs[id] }) else { throw PoopLogError.notFound }
        return log
    }

    public func getTotalLogs(for deviceId: UUID) async throws -> Int {
        if let failure { throw failure }
        return logs.count
    }
}
