public import Foundation
public import SwiftletClient

/// Says that the user is well. The app uses this protocol; ``CheckInAdapter`` is the real one. All throw
/// ``CheckInError``s.
public protocol CheckInClient: Sendable {
    /// The next one is due after so many seconds, from a minute to a year.
    @discardableResult
    func processCheckIn(nextCheckInInterval: TimeInterval) async throws -> CheckInResult
    func getCheckInStatus() async throws -> CheckInStatus
}

public struct CheckInResult: Codable, Sendable, Hashable {
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

extension CheckInStatus.State: ExpressibleByStringLiteral {
    /// For apps that compare words: `status == "active"`.
    public init(stringLiteral word: String) { self = Self(rawValue: word) ?? .unknown }
}

public enum CheckInError: Error, Sendable {
    /// Nobody is signed in.
    case unauthorized
    case userNotFound
    /// The interval is not from a minute to a year.
    case invalidInput
    /// The server failed.
    case processingFailed
    /// Anything else, as an ``APIError`` where it comes from the server.
    case unknown(any Error)
}

extension CheckInError: Equatable {
    /// Of unknown ones those are equal that people read alike.
    public static func == (one: CheckInError, other: CheckInError) -> Bool {
        switch (one, other) {
        case (.unauthorized, .unauthorized), (.userNotFound, .userNotFound), (.invalidInput, .invalidInput),
            (.processingFailed, .processingFailed):
            true
        case (.unknown(let one), .unknown(let other)): one.localizedDescription == other.localizedDescription
        default: false
        }
    }
}

extension CheckInError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unauthorized: "Please sign in to check in."
        case .userNotFound: "This account does not exist, or not any more."
        case .invalidInput: "The next check-in must be due in a minute at the earliest, and in a year at the latest."
        case .processingFailed: "The check-in could not be stored. Please try again."
        case .unknown(let error): error.localizedDescription
        }
    }
}
