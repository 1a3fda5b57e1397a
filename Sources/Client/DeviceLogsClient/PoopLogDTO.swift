public import Foundation

/// A row of `poop_logs` as the server sends it.
public struct PoopLogDTO: Codable, Sendable, Hashable {
    public var id: UUID
    public var deviceId: UUID?
    public var loggedAt: Date
    public var durationSeconds: Int
    public var rating: PoopLog.Rating
    public var consistency: Int?
    public var notes: String?
    public var flushFundsEarned: Int
    public var createdAt: Date?
    public var updatedAt: Date?
    public var deletedAt: Date?

    public func toDomain() -> PoopLog {
        PoopLog(
            id: id,
            loggedAt: loggedAt,
            duration: durationSeconds,
            rating: rating,
            consistency: consistency,
            notes: notes,
            flushFundsEarned: flushFundsEarned
        )
    }
}

extension PoopLog {
    public func toDTO(deviceId: UUID) -> PoopLogDTO {
        PoopLogDTO(
            id: id,
            deviceId: deviceId,
            loggedAt: loggedAt,
            durationSeconds: duration,
            rating: rating,
            consistency: consistency,
            notes: notes,
            flushFundsEarned: flushFundsEarned
        )
    }
}
