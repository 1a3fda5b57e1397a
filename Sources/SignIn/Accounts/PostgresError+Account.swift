import Postgres

extension PostgresError {
    /// Whether an account or an identity with such a key exists already: a
    /// trigger can violate the keys of other tables.
    var isDuplicateAccount: Bool { state == .uniqueViolation && ["users", "identities"].contains(table) }
}
