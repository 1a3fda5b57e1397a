public import Foundation
public import SwiftletClient

/// What to show when it does not work: a title, a message, and what the user can do.
public enum PoopLogError: Error, Sendable, Equatable {
    case offline
    case notFound
    /// The fields concerned, and why.
    case invalid([String: String])
    case failed(APIError)

    public init(_ error: APIError) {
        self =
            switch error {
            case .network: .offline
            case .notFound: .notFound
            case .validation(let fields): .invalid(fields)
            default: .failed(error)
            }
    }

    public var title: String {
        switch self {
        case .offline: "You Are Offline"
        case .notFound: "Log Not Found"
        case .invalid: "Check Your Entry"
        case .failed: "Something Went Wrong"
        }
    }

    public var message: String {
        switch self {
        case .offline: "The server cannot be reached."
        case .notFound: "This log was deleted."
        case .invalid(let fields): APIError.validation(fields).localizedDescription
        case .failed(let error): error.localizedDescription
        }
    }

    public var recoveryAction: String {
        switch self {
        case .offline: "Check your connection and try again."
        case .notFound: "Refresh the list."
        case .invalid: "Correct the entry and save it again."
        case .failed(let error):
            error.requestID.map { "Try again later. Support can help with the code \($0)." } ?? "Try again later."
        }
    }
}

extension PoopLogError: LocalizedError {
    public var errorDescription: String? { message }
    public var recoverySuggestion: String? { recoveryAction }
}
