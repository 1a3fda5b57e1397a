import SwiftletAuth
import SwiftletHTTP
import Logging
import SwiftletPostgres
import SwiftletWeb

extension SignInError {
    /// The response of `body`, or to the error that it throws, in the format of one of the APIs.
    static func answering(
        _ request: Request,
        _ context: Context,
        in format: (SignInError) -> Response,
        _ body: () async throws -> Response
    ) async throws -> Response {
        do {
            return try await body()
        } catch {
            guard !request.wasAbandoned(error) else { throw error }
            let refusal = SignInError(error)
            refusal.log(error, to: context.logger)
            var response = format(refusal)
            if let seconds = refusal.retryAfterSeconds { response.headers.append(.retryAfter, String(seconds)) }
            if let error = error as? APIError { response.addHeaders(of: error) }
            // Every 401 names its scheme (RFC 9110 §15.5.2).
            if refusal.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
            return response
        }
    }

    /// Logs a fault of the server's with its cause.
    private func log(_ cause: any Error, to logger: Logger) {
        guard status.rawValue >= 500 else { return }
        let metadata = FailureLog.metadata(code.rawValue, cause)
        // By design: a queue is full, or an issuer does not answer.
        let isRefused = cause is SignInError && status == .serviceUnavailable
        logger.log(level: isRefused ? .warning : FailureLog.level(of: cause), "sign-in failed", metadata: metadata)
    }

    /// Maps everything that handlers throw. A temporary failure never gets a code that signs the user out.
    init(_ error: any Error) {
        switch error {
        case let error as SignInError: self = error
        case let error as PostgresError: self.init(error)
        case let error as PasswordError: self.init(.badRequest, "validation_failed", error.description)
        case is CancellationError: self = .unavailable("The request took too long")
        case let error as APIError where error.status == .notFound:
            self.init(.notFound, "not_found", "There is no such endpoint")
        case let error as APIError where error.status == .contentTooLarge: self = .bodyTooLarge
        case let error as APIError where error.status == .methodNotAllowed:
            self.init(error.status, "method_not_allowed", error.message)
        case let error as APIError where error.status == .serviceUnavailable: self = .unavailable(error.message)
        case let error as APIError: self.init(error.status, "validation_failed", error.message)
        default: self.init(.internalServerError, "unexpected_failure", "Internal server error")
        }
    }

    /// Whether the database refused what was to be done.
    var isOfDatabase: Bool { message == Self.databaseError }

    private static let databaseError = "Database error"

    private init(_ error: PostgresError) {
        switch (error.kind, error.state.errorClass) {
        case (.invalidParameters, _), (.server, "22"):
            self.init(.badRequest, "validation_failed", "A value cannot be stored")
        // Failing over, restarting, full, temporarily read-only, or a conflict with another transaction.
        case (.server, "08"), (.server, "25"), (.server, "40"), (.server, "53"), (.server, "55"), (.server, "57"),
            (.server, "58"), (.connectionFailure, _), (.connectionLostAfterSending, _), (.timeout, _),
            (.overloaded, _), (.cancelled, _):
            self = .unavailable("The database cannot answer now; try again")
        case (.server, _):
            self.init(.internalServerError, "unexpected_failure", Self.databaseError)
            fault = DatabaseFault(error)
        default: self.init(.internalServerError, "unexpected_failure", "Internal server error")
        }
    }
}
