package import Logging
import SwiftletPostgres

/// What the log says about a failed request. Clients only see its code.
package enum FailureLog {
    /// The `code` that the client sees, and the cause. PostgreSQL's message never leaves the server otherwise.
    package static func metadata(_ code: String, _ error: any Error) -> Logger.Metadata {
        ["code": "\(code)", "cause": "\(cause(error))"]
    }

    /// An outage of the database has a line of its own: requests that it fails are no further errors. Nor are those
    /// that a limit refuses or ends, which is by design.
    package static func level(of error: any Error) -> Logger.Level {
        if (error as? PostgresError)?.kind == .connectionFailure { return .debug }
        return ["OVERLOADED", "TIMEOUT"].contains(APIError(error).code) ? .warning : .error
    }

    private static func cause(_ error: any Error) -> String {
        guard let error = error as? PostgresError else { return String(describing: error) }
        // A function or trigger may put a row's values into its text.
        return "\(error) \(error.isRaised ? "raised by a function of the database" : error.message)"
    }
}

extension Request {
    /// Whether `error` only means that the client has left: nobody reads the answer, and the server is not at fault.
    package func wasAbandoned(_ error: any Error) -> Bool {
        guard Task.isCancelled, state?.isTimedOut != true else { return false }
        return error is CancellationError || (error as? PostgresError)?.kind == .cancelled
    }
}
