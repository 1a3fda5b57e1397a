public import Foundation
public import SwiftletClient

/// Where the logs of this device are. The app uses this protocol; ``RESTPoopLogDataSource`` is the real one. All throw
/// ``PoopLogError``s.
public protocol PoopLogDataSource: Sendable {
    /// The newest first; both ends of the period belong to it.
    func logs(from start: Date?, to end: Date?, page: Int, limit: Int) async throws -> Page<PoopLog>
    func add(_ log: PoopLog) async throws -> PoopLog
    func update(_ log: PoopLog) async throws -> PoopLog
    func delete(_ id: UUID) async throws
    func stats(from start: Date?, to end: Date?) async throws -> PoopLogStats
}

extension PoopLogDataSource {
    public func logs(from start: Date? = nil, to end: Date? = nil) async throws -> [PoopLog] {
        try await logs(from: start, to: end, page: 1, limit: 100).data
    }
}

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

    public var recovery: String {
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
    public var recoverySuggestion: String? { recovery }
}
