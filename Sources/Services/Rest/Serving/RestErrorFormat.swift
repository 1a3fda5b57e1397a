import SwiftletHTTP
import SwiftletJSON
import Logging
import SwiftletPostgres
import SwiftletWeb

/// Turns every error into PostgREST's form: `code`, `message`, `details`, `hint`.
struct RestErrorFormat: Sendable {
    static let exposedFields =
        "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit, Preference-Applied"

    /// A field of requests that their answers repeat; the server itself does so with `X-Request-ID`.
    let repeated: Headers.Name?
    /// Whether errors have `details` and `hint`.
    let tellsDetails: Bool

    var middleware: Middleware {
        let field = repeated == .xRequestID ? nil : repeated
        return Middleware { request, context, next in
            var response = try await response(to: request, context, next)
            if let field, let value = request.header(field) { response.headers[field] = value }
            return response
        }
    }

    private func response(
        to request: Request,
        _ context: Context,
        _ next: Handler
    ) async throws -> Response {
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as RestError {
            // The client is gone, or the request took too long: not for us to answer.
            if Task.isCancelled { throw CancellationError() }
            response = answer(error, context)
        } catch let error as APIError {
            response = answer(RestError(error), context)
        } catch let error as PostgresError {
            response = answer(RestError(error, isAnonymous: false), context)
        }
        response.datesAreNormalized = true
        // Nothing is made for it, so that nobody knows how long the answer to a GET were.
        response.omitsLength = request.method == .head
        response.exposedFields = Self.exposedFields
        return response
    }

    private func answer(_ error: RestError, _ context: Context) -> Response {
        if error.status.rawValue >= 500 {
            context.logger.error("request failed", metadata: ["code": "\(error.code)"])
        }
        var response = Response.json(error.status) { json in
            json.object { json in
                json.member("code", error.code)
                json.member("message", error.message)
                guard tellsDetails else { return }
                json.member("details", error.details)
                json.member("hint", error.hint)
            }
        }
        response.reason = error.reason
        response.headers.append("Proxy-Status", "PostgREST; error=\(error.code)")
        for (name, value) in error.headers { response.headers[name] = value }
        return response
    }
}

extension RestError {
    /// An error of the server's own.
    init(_ error: APIError) {
        switch error.status {
        case .notFound: self = .badPath
        case .methodNotAllowed: self.init(.methodNotAllowed, "PGRST117", "Unsupported HTTP method")
        case .contentTooLarge: self.init(.contentTooLarge, "PGRST102", error.message)
        default: self.init(error.status, error.code.rawValue, error.message)
        }
    }
}
