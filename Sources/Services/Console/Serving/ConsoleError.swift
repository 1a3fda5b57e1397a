import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// A refusal that the page shows where it happened.
package struct ConsoleError: Error, CustomStringConvertible {
    let status: Status
    let code: String
    package let message: String
    var details: JSONObject = [:]

    init(_ status: Status, _ code: String, _ message: String, details: JSONObject = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
    }

    package var description: String { message }

    /// Whether it is ``notFound``: an account that is not there is another error.
    package var isThingNotFound: Bool { code == Self.notFound.code }

    static func entry(_ message: String) -> ConsoleError { ConsoleError(401, "LINK", message) }
    static func bad(_ message: String) -> ConsoleError { ConsoleError(400, "BAD_REQUEST", message) }
    static let notFound = ConsoleError(404, "NOT_FOUND", "There is no such thing.")
    static func forbidden(_ role: Operator.Role) -> ConsoleError {
        ConsoleError(403, "FORBIDDEN", "Only who is \(role.rawValue) may do this.")
    }

    /// What PostgreSQL says, in its own words: operators are to read them.
    init(_ error: PostgresError) {
        var details: JSONObject = ["sqlstate": .string(error.state.rawValue)]
        for (name, value) in [
            ("detail", error.detail), ("hint", error.hint), ("column", error.column), ("constraint", error.constraint),
        ] {
            if let value { details[name] = .string(value) }
        }
        let isOutage = error.kind != .server
        let message = error.message.isEmpty ? error.description : error.message
        self.init(isOutage ? 503 : 400, isOutage ? "UNAVAILABLE" : "DATABASE", message, details: details)
    }

    var response: Response {
        .json(
            status,
            ["error": ["code": .string(code), "message": .string(message), "details": .object(details)]]
        )
    }
}
