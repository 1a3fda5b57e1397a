internal import Auth
internal import HTTP
internal import JSON
internal import Logging
internal import Postgres
internal import Swiftlet

/// Errors as clients of `/auth/v1` read them, in the shape of the version that they ask for.
enum AuthErrors {
    /// GoTrue's.
    static let maximumBodyBytes = 1_048_576
    static let version = "2024-01-01"

    static let middleware = Middleware { request, context, next in
        var response: Response
        do {
            guard request.body.count <= maximumBodyBytes else {
                throw SignInError.bodyTooLarge
            }
            response = try await next(request, context)
        } catch {
            guard !request.wasAbandoned(error) else { throw error }
            let refusal = SignInError(error)
            refusal.log(error, to: context.logger)
            response = answer(refusal, request, context.requestID)
            if let error = error as? APIError { response.addHeaders(of: error) }
        }
        response.datesAreNormalised = true
        response.exposedFields = "x-total-count, link, x-supabase-api-version, x-sb-error-code"
        return response
    }

    private static func answer(_ error: SignInError, _ request: Request, _ requestID: String) -> Response {
        let isVersioned = !error.isOAuth && asksForVersion(request)
        var response = Response.json(error.status) { json in
            json.object { json in
                if error.isOAuth {
                    json.member("error", error.code.rawValue)
                    json.member("error_description", error.message)
                } else if isVersioned {
                    json.member("code", error.code.rawValue)
                    json.member("message", error.message)
                } else {
                    json.member("code", error.status.rawValue)
                    json.member("error_code", error.code.rawValue)
                    json.member("msg", error.message)
                    if error.status.rawValue >= 500 { json.member("error_id", requestID) }
                }
                if error.code == "weak_password" { json.member("weak_password", ["reasons": ["length"]]) }
            }
        }
        if isVersioned { response.headers.append("X-Supabase-Api-Version", version) }
        response.headers.append("x-sb-error-code", error.code.rawValue)
        if let seconds = error.retryAfterSeconds { response.headers.append(.retryAfter, String(seconds)) }
        return response
    }

    /// A date, as clients send it; dates of one form compare as texts.
    private static func asksForVersion(_ request: Request) -> Bool {
        guard let asked = request.header("X-Supabase-Api-Version") else { return false }
        return asked.utf8.count == version.utf8.count && asked >= version
    }
}

extension SignInError {
    fileprivate static let bodyTooLarge = SignInError(
        .contentTooLarge,
        "request_entity_too_large",
        "Request body too large"
    )

    /// Logs a fault of the server's with its cause.
    func log(_ cause: any Error, to logger: Logger) {
        guard status.rawValue >= 500 else { return }
        logger.error("sign-in failed", metadata: FailureLog.metadata(code.rawValue, cause))
    }

    /// Everything that handlers throw. Trouble that passes is never one of the codes that end a session.
    init(_ error: any Error) {
        switch error {
        case let error as SignInError: self = error
        case let error as SignInLocked:
            self.init(
                .tooManyRequests,
                "over_request_rate_limit",
                "Request rate limit reached",
                retryAfterSeconds: error.retryAfterSeconds
            )
        case let error as PostgresError: self.init(error)
        case let error as PasswordError: self.init(.badRequest, "validation_failed", error.description)
        case is CancellationError: self.init(unavailable: "The request took too long")
        case let error as APIError where error.status == .notFound:
            self.init(.notFound, "not_found", "There is no such endpoint")
        case let error as APIError where error.status == .contentTooLarge: self = .bodyTooLarge
        case let error as APIError where error.status == .methodNotAllowed:
            self.init(error.status, "method_not_allowed", error.message)
        case let error as APIError where error.status == .serviceUnavailable: self.init(unavailable: error.message)
        case let error as APIError: self.init(error.status, "validation_failed", error.message)
        default: self.init(.internalServerError, "unexpected_failure", "Internal server error")
        }
    }

    private init(unavailable message: String) {
        self.init(.serviceUnavailable, "unexpected_failure", message, retryAfterSeconds: 1)
    }

    private init(_ error: PostgresError) {
        switch (error.kind, error.state.errorClass) {
        case (.invalidParameters, _), (.server, "22"):
            self.init(.badRequest, "validation_failed", "A value cannot be stored")
        // Being moved, restarted, full, read-only for the moment, or colliding.
        case (.server, "08"), (.server, "25"), (.server, "40"), (.server, "53"), (.server, "55"), (.server, "57"),
            (.server, "58"), (.connectionFailure, _), (.connectionLostAfterSending, _), (.timeout, _),
            (.overloaded, _), (.cancelled, _):
            self.init(unavailable: "The database cannot answer now; try again")
        case (.server, _): self.init(.internalServerError, "unexpected_failure", "Database error")
        case (.decoding, _): self.init(.internalServerError, "unexpected_failure", "Internal server error")
        }
    }
}
