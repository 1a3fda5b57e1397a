import Foundation

extension APIEndpoint {
    static let keyField = "Idempotency-Key"

    /// The server's words for a request of the same key that is still under way, and for a database that lacks the table.
    static let keyInFlight = "IDEMPOTENCY_KEY_IN_FLIGHT"
    static let keysUnavailable = "IDEMPOTENCY_UNAVAILABLE"

    var isRepeatable: Bool {
        if case .never = repetition { return false }
        return true
    }

    /// With a key of its own, for what a server that keeps answers would else do twice, whoever sends it again.
    func withKey(_ isKept: Bool) -> APIEndpoint {
        var endpoint = self
        switch repetition {
        case .keyed:
            guard isKept, requiresAuth else {
                if headers[Self.keyField] == nil { endpoint.repetition = .never }
                return endpoint
            }
        case .creation where isKept && requiresAuth && method == .post && path.hasPrefix("/api/"): break
        case .never where isKept && requiresAuth && hasKey: break
        default: return self
        }
        if headers[Self.keyField] == nil { endpoint.headers[Self.keyField] = UUID().uuidString.lowercased() }
        return endpoint
    }

    /// For a server that cannot keep answers.
    var withoutKey: APIEndpoint {
        var endpoint = self
        endpoint.headers[Self.keyField] = nil
        if case .keyed = repetition { endpoint.repetition = .never }
        return endpoint
    }
}
