public import Foundation
public import SwiftletClient

/// Calls for help. The app uses this protocol; ``AlertAdapter`` is the real one.
public protocol AlertClient: Sendable {
    /// The responders are told at once.
    func trigger() async throws -> ActiveAlert
    func cancel(alertID: String) async throws
    /// nil if there is none.
    func active() async throws -> ActiveAlert?
}

public struct ActiveAlert: Codable, Sendable, Hashable {
    public var alertId: String
    public var activatedAt: Date
    public var status: String

    public init(alertId: String, activatedAt: Date, status: String = "active") {
        self.alertId = alertId
        self.activatedAt = activatedAt
        self.status = status
    }
}

public enum AlertError: Error, Sendable, Equatable {
    case notSignedIn
    /// The one that is active.
    case alreadyActive(alertID: String?)
    /// It has ended.
    case notActive
    case notFound
    case failed(APIError)
}

extension AlertError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .notSignedIn: "Please sign in to call for help."
        case .alreadyActive: "Your alert is active already."
        case .notActive: "This alert has ended already."
        case .notFound: "There is no such alert."
        case .failed(let error): error.errorDescription
        }
    }
}
