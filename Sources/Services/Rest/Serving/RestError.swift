import SwiftletHTTP
import SwiftletJSON

/// An error of `/rest/v1`, with PostgREST's codes (its manual, "Errors") or PostgreSQL's.
struct RestError: Error {
    var status: Status
    var code: String
    var message: String
    var details: JSONValue = .null
    var hint: String?
    /// Stands beside the status in place of its usual words.
    var reason: String?
    /// Header fields of the answer beside the usual ones.
    var headers: [(Headers.Name, String)] = []

    init(_ status: Status, _ code: String, _ message: String, details: String? = nil, hint: String? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details.map { .string($0) } ?? .null
        self.hint = hint
    }

    func adding(_ name: Headers.Name, _ value: String) -> RestError {
        var error = self
        error.headers.append((name, value))
        return error
    }
}

extension RestError {
    /// `what` names the parameter with its text.
    static func unreadable(_ what: String, column: Int, _ details: String) -> RestError {
        RestError(400, "PGRST100", "\"failed to parse \(what)\" (line 1, column \(column))", details: details)
    }

    static func negativeRange(_ name: String) -> RestError {
        RestError(
            416,
            "PGRST103",
            "Requested range not satisfiable",
            details: "\(name.prefix(1).uppercased() + name.dropFirst()) should be greater than or equal to zero."
        )
    }

    static func offsetTooLarge(_ offset: Int, of total: Int) -> RestError {
        let details = "An offset of \(offset) was requested, but there are only \(total) rows."
        return RestError(416, "PGRST103", "Requested range not satisfiable", details: details)
            .adding("Content-Range", "*/\(total)")
    }

    static func badContent(_ message: String) -> RestError { RestError(400, "PGRST102", message) }

    static func unknownSchema(_ name: String, _ exposed: [String]) -> RestError {
        RestError(
            .notAcceptable,
            "PGRST106",
            "Invalid schema: \(name)",
            hint: "Only the following schemas are exposed: \(exposed.joined(separator: ", "))"
        )
    }

    static func noMediaType(_ accept: String) -> RestError {
        RestError(.notAcceptable, "PGRST107", "None of these media types are available: \(accept)")
    }

    static func notEmbedded(_ name: String) -> RestError {
        RestError(
            400,
            "PGRST108",
            "'\(name)' is not an embedded resource in this request",
            hint: "Verify that '\(name)' is included in the 'select' query parameter."
        )
    }

    static func notOneRow(_ count: Int) -> RestError {
        RestError(
            .notAcceptable,
            "PGRST116",
            "Cannot coerce the result to a single JSON object",
            details: "The result contains \(count) rows"
        )
    }

    static func unsupportedMethod(_ method: Method) -> RestError {
        RestError(.methodNotAllowed, "PGRST117", "Unsupported HTTP method: \(method.rawValue)")
    }

    static func relatedOrderOfMany(_ source: String, _ target: String) -> RestError {
        RestError(
            400,
            "PGRST118",
            "A related order on '\(target)' is not possible",
            details: "'\(source)' and '\(target)' do not form a many-to-one or one-to-one relationship"
        )
    }

    static func badEmbedOperator(_ name: String) -> RestError {
        RestError(
            400,
            "PGRST120",
            "Bad operator on the '\(name)' embedded resource",
            details: "Only is null or not is null filters are allowed on embedded resources"
        )
    }

    static let noAggregates = RestError(400, "PGRST123", "Use of aggregate functions is not allowed")

    static func tooManyAffected(_ count: Int) -> RestError {
        RestError(
            400,
            "PGRST124",
            "Query result exceeds max-affected preference constraint",
            details: "The query affects \(count) rows"
        )
    }

    static let notManyRows = RestError(
        400,
        "PGRST128",
        "Function must return SETOF or TABLE when max-affected preference is used with handling=strict"
    )

    static func unsupportedMethodOfRoutine(_ method: Method) -> RestError {
        RestError(.methodNotAllowed, "PGRST101", "Cannot use the \(method.rawValue) method on RPC")
    }

    static let noSpreadAggregates = RestError(
        400,
        "PGRST127",
        "Feature not implemented",
        details: "Aggregates are not implemented for one-to-many or many-to-many spreads."
    )

    /// As PostgreSQL says it of a column.
    static func notGrouped(_ column: String) -> RestError {
        let message = "column \"\(column)\" must appear in the GROUP BY clause or be used in an aggregate function"
        return RestError(400, "42803", message)
    }

    static let badPath = RestError(.notFound, "PGRST125", "Invalid path specified in request URL")

    static func noColumn(_ name: String, of relation: String) -> RestError {
        RestError(400, "PGRST204", "Could not find the '\(name)' column of '\(relation)' in the schema cache")
    }

    static let anonymousIsOff = RestError(.unauthorized, "PGRST302", "Anonymous access is disabled")
        .adding(.wwwAuthenticate, "Bearer")

    var isTooManyLargeAnswers: Bool {
        code == Self.tooManyLargeAnswers.code && message == Self.tooManyLargeAnswers.message
    }

    static let tooManyLargeAnswers = RestError(
        .serviceUnavailable,
        "PGRST003",
        "Too many large answers are being read. Try again."
    )
    .adding("Retry-After", "5")

    static let unavailable = RestError(
        .serviceUnavailable,
        "PGRST002",
        "Could not query the database for the schema cache. Retrying."
    )
}
