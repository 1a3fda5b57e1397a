public import Foundation
public import SwiftletClient

/// What happened, as the app thinks of it. The server's form is ``PoopLogDTO``.
public struct PoopLog: Sendable, Hashable, Identifiable {
    public let id: UUID
    public var loggedAt: Date
    /// In seconds, up to a day.
    public var duration: Int
    public var rating: Rating
    /// On the Bristol scale, from 1 to 7.
    public var consistency: Int?
    public var notes: String?
    public var flushFundsEarned: Int

    public enum Rating: String, SafeDecodable, CaseIterable {
        case great
        case good
        case okay
        case bad
        case terrible
        /// A word of a newer server.
        case unknown
    }

    public init(
        id: UUID = UUID(),
        loggedAt: Date = Date(),
        duration: Int,
        rating: Rating,
        consistency: Int? = nil,
        notes: String? = nil,
        flushFundsEarned: Int = 0
    ) {
        self.id = id
        self.loggedAt = loggedAt
        self.duration = duration
        self.rating = rating
        self.consistency = consistency
        self.notes = notes
        self.flushFundsEarned = flushFundsEarned
    }
}

/// Sums over a period; days are days in UTC.
public struct PoopLogStats: Codable, Sendable, Hashable {
    public var total: Int
    public var totalDurationSeconds: Int
    public var averageDurationSeconds: Double
    public var flushFundsEarned: Int
    public var byRating: [String: Int]
    public var byDay: [Day]
    /// One that ended yesterday still counts.
    public var currentStreakDays: Int
    public var longestStreakDays: Int

    public struct Day: Codable, Sendable, Hashable {
        /// `2025-03-15`
        public var date: String
        public var count: Int
    }

    public init() {
        (total, totalDurationSeconds, averageDurationSeconds, flushFundsEarned) = (0, 0, 0, 0)
        (byRating, byDay, currentStreakDays, longestStreakDays) = ([:], [], 0, 0)
    }
}
