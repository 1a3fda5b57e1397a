public import Foundation

/// Where a device's logs are. The app uses this protocol; ``RESTPoopLogDataSource`` is the real one. All throw
/// ``PoopLogError``s.
public protocol PoopLogDataSourceProtocol: Sendable {
    /// The newest first.
    func fetchLogs(for deviceId: UUID, limit: Int, offset: Int) async throws -> [PoopLog]
    /// Of this device, the newest first; both ends of the period belong to it.
    func fetchLogs(from start: Date, to end: Date) async throws -> [PoopLog]
    @discardableResult
    func createLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog
    @discardableResult
    func updateLog(_ log: PoopLog, deviceId: UUID) async throws -> PoopLog
    func deleteLog(id: UUID, deviceId: UUID) async throws
    func fetchLog(id: UUID, deviceId: UUID) async throws -> PoopLog
    func getTotalLogs(for deviceId: UUID) async throws -> Int
}
