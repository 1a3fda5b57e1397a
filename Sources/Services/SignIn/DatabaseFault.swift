import SwiftletHTTP
import SwiftletPostgres

/// What a trigger or a constraint of the app says against a change of accounts, for clients that read it as from GoTrue.
struct DatabaseFault: Hashable, Sendable {
    let state: String
    let status: Status
    let message: String
    let hint: String?
    let detail: String?

    /// nil for what is no concern of clients: all but what the app raises, and integrity (PostgreSQL, appendix A).
    init?(_ error: PostgresError) {
        let code = error.state.rawValue
        if code == "P0001" || error.state.errorClass == "23" {
            status = .internalServerError
        } else if error.state.errorClass == "PT", let number = Int(code.dropFirst(2)), (400...599).contains(number) {
            status = Status(rawValue: number)
        } else {
            return nil
        }
        state = code
        message = error.message
        hint = error.hint
        // That of `NOT NULL` and `CHECK` has the whole row, with the password's hash.
        let showsRow = error.state == .notNullViolation || error.state == .checkViolation
        detail = showsRow ? nil : error.detail
    }
}
