public import Foundation
public import SwiftletClient

/// Says that the user is well. The app uses this protocol; ``CheckInAdapter`` is the real one.
public protocol CheckInClient: Sendable {
    /// The next one is due after so many seconds, from a minute to a year.
    func checkIn(nextCheckInInterval: TimeInterval) async throws -> CheckIn
    func status() async throws -> CheckInStatus
}

public struct CheckIn: Codable, Sendable, Hashable {
    public var lastCheckInTime: Date
    public var nextCheckInTime: Date

    public init(lastCheckInTime: Date, nextCheckInTime: Date) {
        self.lastCheckInTime = lastCheckInTime
        self.nextCheckInTime = nextCheckInTime
    }
}

public struct CheckInStatus: Codable, Sendable, Hashable {
    /// nil for a user who has never checked in.
    public var lastCheckInTime: Date?
    public var nextCheckInTime: Date?
    public var status: State
    /// In seconds.
    public var interval: TimeInterval

    public enum State: String, SafeDecodable, CaseIterable {
        /// Has never checked in.
        case inactive
        case active
        /// The time has passed.
        case overdue
        /// The responders were told.
        case alert
        /// A word of a newer server.
        case unknown
    }

    public init(lastCheckInTime: Date?, nextCheckInTime: Date?, status: State, interval: TimeInterval) {
        self.lastCheckInTime = lastCheckInTime
        self.nextCheckInTime = nextCheckInTime
        self.status = status
        self.interval = interval
    }
}

public enum CheckInError: Error, Sendable, Equatable {
    case notSignedIn
    /// From a minute to a year.
    case invalidInterval
    case failed(APIError)
}

extension CheckInError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notSignedIn: "Please sign in to check in."
        case .invalidInterval: "The next check-in must be due in a minute at the earliest, and in a year at the latest."
        case .failed(let error): error.errorDescription
        }
    }
}
