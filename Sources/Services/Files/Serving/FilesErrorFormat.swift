import SwiftletBlockingPool
import SwiftletHTTP
import SwiftletJSON
import Logging
import SwiftletPostgres
import SwiftletStorage
import SwiftletWeb

/// Turns every error into the form that Supabase's clients read.
enum FilesErrorFormat {
    static let exposedFields = "Content-Length, Content-Range, ETag, Last-Modified, Accept-Ranges, Content-Disposition"

    static let middleware = Middleware { request, context, next in
        var response: Response
        do {
            response = try await next(request, context)
        } catch {
            let answer = try Self.answer(error, request, context)
            response = Self.response(answer, to: request)
        }
        response.datesAreNormalized = true
        response.exposedFields = response.exposedFields ?? exposedFields
        return response
    }

    /// Rethrows what is not for us to answer.
    static func answer(_ error: any Error, _ request: Request, _ context: Context) throws -> FilesError {
        // The client is gone, or the request took too long.
        if Task.isCancelled { throw CancellationError() }
        let answer = FilesError(error, request)
        if answer.status >= 500 {
            context.logger.error(
                "request failed",
                metadata: ["code": "\(answer.code)", "cause": "\(String(reflecting: error))"]
            )
        }
        return answer
    }

    static func response(_ error: FilesError, to request: Request) -> Response {
        // Clients take any error of a HEAD for "not there", and try to read the body of one that has some.
        if request.method == .head {
            return Response(status: Status(rawValue: error.statusCode == 404 ? 404 : error.status))
        }
        var response = Response.json(Status(rawValue: error.status)) { json in
            json.object { json in
                json.member("statusCode", String(error.statusCode))
                json.member("error", error.error)
                json.member("message", error.message)
                json.member("code", error.code)
                if let hint = error.hint { json.member("hint", hint) }
            }
        }
        if error.status == 503 { response.headers.append(.retryAfter, "1") }
        return response
    }
}

extension FilesError {
    fileprivate init(_ error: any Error, _ request: Request) {
        switch error {
        case let error as FilesError: self = error
        case let error as PostgresError: self.init(error)
        case StorageError.tooLarge, RequestBodyError.tooLarge: self = .tooLarge
        case is RequestBodyError: self = .badRequest("the body did not arrive as a whole")
        case let error as MultipartError: self = .badRequest("the body is not a valid form: \(error)")
        case is Overload: self.init(429, "SlowDown", "SlowDown", "Too much work is waiting", status: 429)
        case let error as APIError:
            switch error.status {
            case .notFound, .methodNotAllowed: self = .noRoute(request.method.rawValue, request.filesPath)
            case .contentTooLarge: self = .tooLarge
            default:
                self.init(error.status.rawValue, error.code.rawValue, error.code.rawValue, error.message)
                if error.status.rawValue >= 500 { status = error.status.rawValue }
            }
        default: self = .internalError
        }
    }
}

extension Request {
    /// The path below `/storage/v1`.
    var filesPath: String {
        guard let prefix = path.firstRange(of: "storage/v1") else { return path }
        let rest = path[prefix.upperBound...]
        return rest.isEmpty ? "/" : String(rest)
    }
}
