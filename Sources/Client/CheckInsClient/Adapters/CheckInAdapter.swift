public import Foundation
public import SwiftletClient

/// ``CheckInClient`` over the functions `process-check-in` and `get-check-in-status`.
public struct CheckInAdapter: CheckInClient {
    private let functions: FunctionsAdapter

    public init(functions: FunctionsAdapter) { self.functions = functions }

    /// Repeated if no answer arrives: a check-in takes the place of the one before.
    @discardableResult
    public func processCheckIn(nextCheckInInterval: TimeInterval) async throws -> CheckInResult {
        try await translating {
            try await functions.callFunction(
                name: "process-check-in",
                request: ["nextCheckInInterval": nextCheckInInterval],
                isRepeatable: true
            )
        }
    }

    public func getCheckInStatus() async throws -> CheckInStatus {
        try await translating {
            try await functions.callFunction(name: "get-check-in-status", request: NoValues(), isRepeatable: true)
        }
    }

    private func translating<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as APIError {
            throw switch error {
            case .unauthorized: CheckInError.unauthorized
            case .notFound: CheckInError.userNotFound
            case .validation: CheckInError.invalidInput
            case .server: CheckInError.processingFailed
            default: CheckInError.unknown(error)
            }
        }
    }
}
