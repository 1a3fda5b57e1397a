import SwiftletHTTP
import SwiftletWeb

extension AuthAPI {
    /// The role that an administrator gives an account; nil if the request names none. Tokens carry it, and `/rest/v1`
    /// takes it for their statements, so that it must be one without power over the server. One that the database does
    /// not have opens nothing there.
    ///
    /// Throws ``SignInError`` 422 for any other.
    func sentRole(_ fields: Fields) async throws -> String? {
        guard let role = try fields.text("role") else { return nil }
        guard try await accounts.isAssignable(role: role) else {
            throw SignInError(
                .unprocessableContent,
                "validation_failed",
                "The role is none that accounts may have"
            )
        }
        return role
    }
}

extension AccountStore {
    /// Whether this server may take the role, and it is neither this server's own nor one with power over roles,
    /// replication or the machine, or does not exist. An empty one means the usual.
    fileprivate func isAssignable(role: String) async throws -> Bool {
        if ["", "authenticated"].contains(role) { return true }
        let rows = try await database.query(
            """
            SELECT FROM pg_catalog.pg_roles
            WHERE rolname = \(role) AND (rolname IN (current_user, session_user)
                OR rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication
                OR NOT pg_has_role(session_user, oid, 'MEMBER'))
            """
        )
        return rows.isEmpty && !role.hasPrefix("pg_") && role != "none"
    }
}
