public import SwiftletClient

/// ``AlertClient`` over the functions `trigger-alert`, `cancel-alert` and `get-active-alert`.
public struct AlertAdapter: AlertClient {
    private let functions: FunctionsAdapter

    public init(functions: FunctionsAdapter) { self.functions = functions }

    /// Repeated if no answer arrives: the server takes one alert at a time, and then says which.
    public func trigger() async throws -> ActiveAlert {
        try await translating {
            try await functions.callFunction(name: "trigger-alert", request: NoValues(), isRepeatable: true)
        }
    }

    public func cancel(alertID: String) async throws {
        try await translating {
            let _: NoValues = try await functions.callFunction(name: "cancel-alert", request: ["alertId": alertID])
        }
    }

    public func active() async throws -> ActiveAlert? {
        try await translating {
            try await functions.callFunction(name: "get-active-alert", request: NoValues(), isRepeatable: true)
        }
    }

    private func translating<Value>(_ call: () async throws -> Value) async throws -> Value {
        do {
            return try await call()
        } catch let error as APIError {
            throw switch error {
            case .unauthorized: AlertError.notSignedIn
            case .notFound: AlertError.notFound
            case .conflict(let refusal) where refusal.code == "ALERT_ALREADY_ACTIVE":
                AlertError.alreadyActive(alertID: refusal.details["alertId"])
            case .conflict: AlertError.notActive
            default: AlertError.failed(error)
            }
        }
    }
}
