public import SwiftletClient

/// ``AlertClient`` over the functions `trigger-alert`, `cancel-alert` and `get-active-alert`.
public struct AlertAdapter: AlertClient {
    private let functions: FunctionsAdapter

    public init(functions: FunctionsAdapter) { self.functions = functions }

    /// Repeated if no answer arrives: the server takes one alert at a time.
    @discardableResult
    public func triggerAlert() async throws -> AlertResult {
        try await translating(notFound: .userNotFound) {
            try await functions.callFunction(name: "trigger-alert", request: NoValues(), isRepeatable: true)
        }
    }

    public func cancelAlert(alertId: String) async throws {
        try await translating(notFound: .notActive) {
            let _: NoValues = try await functions.callFunction(name: "cancel-alert", request: ["alertId": alertId])
        }
    }

    public func getActiveAlert() async throws -> AlertResult? {
        try await translating(notFound: .userNotFound) {
            try await functions.callFunction(name: "get-active-alert", request: NoValues(), isRepeatable: true)
        }
    }

    private func translating<Value>(notFound: AlertError, _ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as APIError {
            throw switch error {
            case .unauthorized: AlertError.unauthorized
            case .notFound: notFound
            case .conflict(let refusal) where refusal.code == "ALERT_ALREADY_ACTIVE": AlertError.alreadyActive
            case .conflict: AlertError.notActive
            case .server: AlertError.processingFailed
            default: AlertError.unknown(error)
            }
        }
    }
}
