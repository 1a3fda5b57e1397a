import SwiftletHTTP
import SwiftletWeb

extension RestError {
    /// The answer to a request without a caller: 401.
    init(_ refusal: DatabaseCaller.Refusal, of request: Request) {
        switch refusal {
        case .missing: self = TokenRefusal.emptyToken(of: request) ?? .anonymousIsOff
        case .token(let error): self = TokenRefusal(error, of: request).refusal ?? .badToken("\(error)")
        case .refused(let reason): self = .badToken(reason)
        }
    }

    private static func badToken(_ reason: String) -> RestError {
        RestError(.unauthorized, "PGRST301", "The token is not accepted: \(reason)").adding(
            .wwwAuthenticate,
            "Bearer error=\"invalid_token\", error_description=\"\(reason)\""
        )
    }
}
