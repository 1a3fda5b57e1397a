import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// Formats errors for the app: `error` is a code, `error_description` a message for people.
enum MobileErrorFormat {
    static let middleware = Middleware { request, context, next in
        try await SignInError.answering(request, context, in: answer) { try await next(request, context) }
    }

    private static func answer(_ error: SignInError) -> Response {
        switch error.status {
        case .notFound: return body(error.status, "Not found")
        case .methodNotAllowed: return body(error.status, "Method not allowed")
        case .tooManyRequests:
            let minutes = max(1, ((error.retryAfterSeconds ?? 0) + 59) / 60)
            let unit = minutes == 1 ? "minute" : "minutes"
            return body(
                error.status,
                "account_locked",
                "Too many failed login attempts. Try again in \(minutes) \(unit)."
            )
        case _ where error.status.rawValue >= 500: return body(error.status, "server_error", error.message)
        default: break
        }
        switch error.code {
        case "validation_failed", "request_entity_too_large":
            return body(error.status, "invalid_request", error.message)
        case "bad_json": return body(error.status, "invalid_request", "Invalid JSON body")
        case "user_banned": return body(error.status, "invalid_grant", "Account is deactivated")
        case "conflict": return body(error.status, "temporarily_unavailable", error.message)
        default: return body(error.status, "invalid_grant", error.message)
        }
    }

    private static func body(_ status: Status, _ error: String, _ description: String? = nil) -> Response {
        .json(status) { json in
            json.object { json in
                json.member("error", error)
                if let description { json.member("error_description", description) }
            }
        }
    }
}
