import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// The role that an administrator gives an account; nil if the request names none. Tokens carry it, and `/rest/v1`
    /// takes it for their statements, so that it must be a role of the database without power over the server.
    ///
    /// Throws ``SignInError`` 422 for any other.
    func sentRole(_ fields: Fields) async throws -> String? {
        guard let role = try fields.text("role") else { return nil }
        guard try await accounts.isAssignable(role: role) else {
            throw SignInError(
                .unprocessableContent,
                "validation_failed",
                "The role is none of the database's, or none that accounts may have"
            )
        }
        return role
    }
}

extension AccountStore {
    /// Whether the role exists, this server may take it, and it is neither this server's own nor one with power over
    /// roles, replication or the machine. An empty one means the usual, which need not exist.
    fileprivate func isAssignable(role: String) async throws -> Bool {
        if ["", "authenticated"].contains(role) { return true }
        let rows = try await database.query(
            """
            SELECT FROM pg_catalog.pg_roles
            WHERE rolname = \(role) AND rolname NOT IN (current_user, session_user) AND NOT starts_with(rolname, 'pg_')
                AND NOT rolsuper AND NOT rolcreaterole AND NOT rolcreatedb AND NOT rolreplication
                AND pg_has_role(session_user, oid, 'MEMBER')
            """
        )
        return !rows.isEmpty
    }
}
