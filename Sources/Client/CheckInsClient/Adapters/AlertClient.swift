public import Foundation

/// Calls for help. The app uses this protocol; ``AlertAdapter`` is the real one. All throw ``AlertError``s.
public protocol AlertClient: Sendable {
    /// The responders are told at once.
    @discardableResult
    func triggerAlert() async throws -> AlertResult
    func cancelAlert(alertId: String) async throws
    /// nil if there is none.
    func getActiveAlert() async throws -> AlertResult?
}

public struct AlertResult: Codable, Sendable, Hashable {
    public var alertId: String
    public var activatedAt: Date
    public var status: String

    public init(alertId: String, activatedAt: Date, status: String = "active") {
        self.alertId = alertId
        self.activatedAt = activatedAt
        self.status = status
    }
}

public enum AlertError: Error, Sendable {
    /// Nobody is signed in.
    case unauthorized
    case userNotFound
    /// There is one; ``AlertClient/getActiveAlert()`` says which.
    case alreadyActive
    /// It has ended, or never was.
    case notActive
    /// The server failed.
    case processingFailed
    /// Anything else, as an `APIError` where it comes from the server.
    case unknown(any Error)
}

extension AlertError: Equatable {
    /// Of unknown ones those are equal that people read alike.
    public static func == (one: AlertError, other: AlertError) -> Bool {
        switch (one, other) {
        case (.unauthorized, .unauthorized), (.userNotFound, .userNotFound), (.alreadyActive, .alreadyActive),
            (.notActive, .notActive), (.processingFailed, .processingFailed):
            true
        case (.unknown(let one), .unknown(let other)): one.localizedDescription == other.localizedDescription
        default: false
        }
    }
}

extension AlertError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .unauthorized: "Please sign in to call for help."
        case .userNotFound: "This account does not exist, or not any more."
        case .alreadyActive: "Your alert is active already."
        case .notActive: "This alert has ended already."
        case .processingFailed: "The server has a problem. Please try again at once."
        case .unknown(let error): error.localizedDescription
        }
    }
}
