import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// Formats errors for clients of `/auth/v1`, in the shape of the API version that they request.
enum AuthErrorFormat {
    /// As in GoTrue.
    static let maximumBodyBytes = 1_048_576
    static let version = "2024-01-01"

    static let middleware = Middleware { request, context, next in
        let format = { answer($0, request, context.requestID) }
        var response = try await SignInError.answering(request, context, in: format) {
            guard request.body.count <= maximumBodyBytes else { throw SignInError.bodyTooLarge }
            return try await next(request, context)
        }
        response.datesAreNormalized = true
        response.exposedFields = "x-total-count, link, x-supabase-api-version, x-sb-error-code"
        return response
    }

    private static func answer(_ error: SignInError, _ request: Request, _ requestID: String) -> Response {
        let isVersioned = !error.isOAuth && asksForVersion(request)
        if !isVersioned, let fault = error.fault { return answer(fault) }
        let message = error.message + (error.isOfDatabase ? failedAction(request) : "")
        var response = Response.json(error.status) { json in
            json.object { json in
                if error.isOAuth {
                    json.member("error", error.code.rawValue)
                    json.member("error_description", error.message)
                } else if isVersioned {
                    json.member("code", error.code.rawValue)
                    json.member("message", message)
                } else {
                    json.member("code", error.status.rawValue)
                    json.member("error_code", error.code.rawValue)
                    json.member("msg", message)
                    if error.status.rawValue >= 500 { json.member("error_id", requestID) }
                }
                if error.code == "weak_password" {
                    json.member("weak_password", ["reasons": .array(error.reasons.map { .string($0) })])
                }
            }
        }
        if isVersioned { response.headers.append("X-Supabase-Api-Version", version) }
        response.headers.append("x-sb-error-code", error.code.rawValue)
        return response
    }

    /// As PostgreSQL says it, for clients of the first version.
    private static func answer(_ fault: DatabaseFault) -> Response {
        Response.json(fault.status) { json in
            json.object { json in
                json.member("code", fault.state)
                json.member("message", fault.message)
                if let hint = fault.hint { json.member("hint", hint) }
                if let detail = fault.detail { json.member("detail", detail) }
            }
        }
    }

    /// What was being done, in GoTrue's words, which apps compare.
    private static func failedAction(_ request: Request) -> String {
        switch (request.method, request.path.split(separator: "/").last) {
        case (.delete, _): " deleting user"
        case (.post, "users"): " creating new user"
        case (.post, "token"): " granting user"
        case (.post, _): " saving new user"
        default: " updating user"
        }
    }

    /// Versions are dates in one format, which compare as strings.
    private static func asksForVersion(_ request: Request) -> Bool {
        guard let asked = request.header("X-Supabase-Api-Version") else { return false }
        return asked.utf8.count == version.utf8.count && asked >= version
    }
}
