package import SwiftletPostgres

extension APIError {
    /// Maps SQLSTATE to HTTP (PostgreSQL manual, Appendix A). PostgreSQL's message only goes to the log.
    package init(_ error: PostgresError, isRead: Bool = false) {
        let advice = isRead ? "try again" : "whether a change was made is unknown, so look before repeating it"
        switch error.kind {
        case .server: self = Self.answer(to: error)
        case .connectionFailure: self = .unavailable("DB_UNAVAILABLE", "The database cannot be reached; try again")
        case .connectionLostAfterSending:
            self = .unavailable("DB_UNAVAILABLE", "The database connection broke; \(advice)")
        case .timeout: self = .unavailable("TIMEOUT", "The database took too long; \(advice)")
        case .overloaded: self = .unavailable("OVERLOADED", "Too many requests are waiting; try again")
        case .cancelled: self = .unavailable("TIMEOUT", "The request took too long")
        case .invalidParameters: self = APIError(.badRequest, "VALIDATION_ERROR", "A value cannot be stored")
        // The decoding failed, or a kind that is not known here.
        default: self = .internal
        }
    }

    private static func answer(to error: PostgresError) -> APIError {
        switch error.state {
        // What another row has.
        case .uniqueViolation, .exclusionViolation: return conflict("This already exists", error, "is taken")
        // From version 18 on, PostgreSQL tells ON DELETE RESTRICT apart from other violations of a foreign key.
        case .foreignKeyViolation, .restrictViolation: return unusable(columns(error))
        case .checkViolation:
            return APIError(
                .unprocessableContent,
                "UNPROCESSABLE",
                "A value is not allowed",
                details: fault(error, "is not allowed")
            )
        case .notNullViolation: return validation(fault(error, "is required"), error)
        // A B-tree entry is limited to a third of a page; PostgreSQL does not name the column that is too long.
        case .programLimitExceeded: return APIError(.badRequest, "VALIDATION_ERROR", "A value is too long")
        case .undefinedTable: return .missingTable
        case .queryCancelled: return .unavailable("TIMEOUT", "The database took too long")
        case .adminShutdown, .crashShutdown, .cannotConnectNow:
            return .unavailable("DB_UNAVAILABLE", "The database is restarting; try again")
        case .serializationFailure, .deadlockDetected, .lockNotAvailable:
            return .unavailable("OVERLOADED", "This collided with another change; try again")
        // A standby, or a primary whose disk is full.
        case .readOnlyTransaction:
            return .unavailable("DB_UNAVAILABLE", "The database takes no changes now; try again")
        default: break
        }
        return switch error.state.errorClass {
        case "22": validation(fault(error, "has an invalid value"), error)
        case "53", "08": .unavailable("DB_UNAVAILABLE", "The database cannot answer now; try again")
        default: .internal
        }
    }

    private static func conflict(_ message: String, _ error: PostgresError, _ reason: String) -> APIError {
        APIError(.conflict, "CONFLICT", message, details: fault(error, reason))
    }

    private static func validation(_ details: [String: String], _ error: PostgresError) -> APIError {
        details.isEmpty ? APIError(.badRequest, "VALIDATION_ERROR", "A value is not valid") : .validation(details)
    }

    /// 409 for a foreign key that refers to no row.
    package static func unusable(_ columns: [String]) -> APIError {
        let details = Dictionary(columns.map { ($0, "is not usable") }) { first, _ in first }
        return APIError(
            .conflict,
            "CONFLICT",
            "A row that this one refers to is missing, or is still in use",
            details: details
        )
    }

    private static func fault(_ error: PostgresError, _ reason: String) -> [String: String] {
        Dictionary(columns(error).map { ($0, reason) }) { first, _ in first }
    }

    /// The columns at fault: named by PostgreSQL, or taken from `Key (column)=(value)` in its detail. The value belongs
    /// to another row and must not reach the client.
    private static func columns(_ error: PostgresError) -> [String] {
        if let column = error.column { return [column] }
        guard let detail = error.detail, detail.hasPrefix("Key ("), let end = detail.firstRange(of: ")=(") else {
            return error.constraint.map { [$0] } ?? []
        }
        let columns = detail[..<end.lowerBound].dropFirst(5)
        return columns.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\"" } }
    }
}
