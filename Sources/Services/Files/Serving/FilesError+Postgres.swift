import SwiftletPostgres

extension FilesError {
    /// The answer to an error of PostgreSQL or of the way to it.
    init(_ error: PostgresError) {
        switch error.kind {
        case .overloaded where error.hasWaited: self = .databaseTimeout
        case .overloaded:
            self.init(429, "SlowDown", "SlowDown", "Too many connections issued to the database", status: 429)
        case .timeout, .cancelled: self = .databaseTimeout
        case .connectionFailure, .connectionLostAfterSending:
            self.init(503, "DatabaseError", "Unavailable", "The database cannot be reached", status: 503)
        case .server: self = Self.answer(error)
        case .invalidParameters: self = .badRequest("a text contains a NUL character, or there are too many of them")
        default: self = .internalError
        }
    }

    private static func answer(_ error: PostgresError) -> FilesError {
        switch error.state.rawValue {
        case "42501":
            // The table's name helps nobody who calls.
            let isPolicy = error.message.hasPrefix("new row violates row-level security policy")
            return .forbidden(isPolicy ? "new row violates row-level security policy" : error.message)
        case "23505": return .exists
        case "23503" where error.message.hasPrefix("insert"): return .noBucket
        case "23503": return FilesError(409, "ResourceReferenced", "ResourceReferenced", "The resource is in use")
        case "55P03": return FilesError(423, "ResourceLocked", "ResourceLocked", "The resource is locked")
        case "57014": return .databaseTimeout
        case "25006":
            return FilesError(503, "DatabaseReadOnly", "Unavailable", "The database is read only", status: 503)
        // `role "…" does not exist`
        case "22023" where error.message.hasPrefix("role "): return .forbidden(error.message)
        case "P0001": return .badRequest(error.message)
        default:
            switch error.state.errorClass {
            case "22", "23": return .badRequest(error.message)
            // Its disk or memory is full, or it is being stopped.
            case "53", "57":
                return FilesError(503, "DatabaseError", "Unavailable", "The database takes nothing now", status: 503)
            default: return .internalError
            }
        }
    }

    private static let databaseTimeout = FilesError(
        544,
        "DatabaseTimeout",
        "DatabaseTimeout",
        "The database did not answer in time",
        status: 544
    )
}
