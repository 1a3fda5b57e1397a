import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

extension RestError {
    /// The answer to an error of PostgreSQL or of the way to it. `isAnonymous`: the request has no token.
    init(_ error: PostgresError, isAnonymous: Bool) {
        let kind = error.kind
        if kind == .overloaded, !error.hasWaited {
            // PostgREST lets everybody wait, and has no code for this.
            self.init(.serviceUnavailable, "PGRST003", "Too many requests are waiting for a connection. Try again.")
            self = adding("Retry-After", "1")
        } else if kind == .overloaded {
            self.init(504, "PGRST003", "Timed out acquiring connection from connection pool.")
        } else if kind == .timeout {
            self.init(504, "57014", "The database did not answer in time.")
        } else if kind == .connectionLostAfterSending {
            let details = "The connection broke; whether a change was made is unknown, so look before repeating it."
            self.init(.serviceUnavailable, "PGRST001", "Database client error. Retrying.", details: details)
        } else if kind == .connectionFailure {
            self.init(.serviceUnavailable, "PGRST000", "Database connection error. Retrying the connection.")
            self = adding("Retry-After", "1")
        } else if error.isRaised, error.state.rawValue == "PGRST" {
            self = Self.raised(error)
        } else if let refusal = RowCountCheck.refusal(error) {
            self = refusal
        } else {
            let status = Self.status(error, isAnonymous: isAnonymous)
            if !error.isRaised, Self.namesFiles(error) {
                self.init(status, error.state.rawValue, "The database cannot do this now.")
            } else {
                self.init(status, error.state.rawValue, error.message, details: error.detail, hint: error.hint)
            }
            if status == .unauthorized { self = adding(.wwwAuthenticate, "Bearer") }
        }
    }

    /// Errors of the system below PostgreSQL, whose messages have names of its files, such as that of a full disk.
    /// A limit that is set (53400) has none.
    private static func namesFiles(_ error: PostgresError) -> Bool {
        error.state.rawValue != "53400" && ["53", "58", "F0", "XX"].contains(error.state.errorClass)
    }

    /// The status for each error of PostgreSQL, as in PostgREST.
    private static func status(_ error: PostgresError, isAnonymous: Bool) -> Status {
        let code = error.state.rawValue
        switch code {
        case "23503", "23505": return .conflict
        case "25006": return .methodNotAllowed
        case "42883":
            // A row policy's or a trigger's own mistake is not the client's.
            let isFormat = ["function xmlagg(", "function st_asgeojson("].contains { error.message.hasPrefix($0) }
            return isFormat ? .notAcceptable : .notFound
        case "42P01": return .notFound
        case "42P17", "25P02": return .internalServerError
        case "42501": return isAnonymous ? .unauthorized : .forbidden
        case "21000": return error.message.contains("requires a WHERE clause") ? .badRequest : .internalServerError
        case "22023": return error.message.hasPrefix("role ") ? .unauthorized : .badRequest
        case "53400": return .internalServerError
        case "57P01": return .serviceUnavailable
        case "P0001": return .badRequest
        default: break
        }
        if code.hasPrefix("PT") {
            guard let number = Int(code.dropFirst(2)), (200...599).contains(number) else { return .internalServerError }
            return Status(rawValue: number)
        }
        switch error.state.errorClass {
        case "08", "53": return .serviceUnavailable
        case "0L", "0P", "28": return .forbidden
        case "09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX":
            return .internalServerError
        default: return .badRequest
        }
    }

    /// `RAISE sqlstate 'PGRST'` with the body in the message and status and headers in the detail, both JSON.
    private static func raised(_ error: PostgresError) -> RestError {
        let body = try? JSONParser.parse(Array(error.message.utf8)).object
        guard let body, let code = body["code"]?.string, let message = body["message"]?.string else {
            return unreadable("Invalid JSON value for MESSAGE: '\(error.message)'", messageHint)
        }
        guard let detail = error.detail else {
            return unreadable("DETAIL is missing in the RAISE statement", detailHint)
        }
        let answer = try? JSONParser.parse(Array(detail.utf8)).object
        guard let status = answer?["status"]?.int, (200...599).contains(status),
            let headers = answer?["headers"]?.object
        else { return unreadable("Invalid JSON value for DETAIL: '\(detail)'", detailHint) }
        var raised = RestError(Status(rawValue: status), code, message, hint: body["hint"]?.string)
        raised.details = body["details"] ?? .null
        raised.reason = answer?["status_text"]?.string
        for (name, value) in headers {
            if let name = Headers.Name(name), let value = value.string { raised.headers.append((name, value)) }
        }
        return raised
    }

    private static func unreadable(_ details: String, _ hint: String) -> RestError {
        RestError(
            .internalServerError,
            "PGRST121",
            "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error",
            details: details,
            hint: hint
        )
    }

    private static let messageHint =
        "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
    private static let detailHint =
        "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."
}
