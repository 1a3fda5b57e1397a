public import Auth
import Logging
public import Postgres

/// The database as one user sees it, whatever their tenant.
///
///     let rows = try await context.userDatabase.query(
///         "SELECT token FROM push_tokens WHERE user_id = \(context.user)"
///     )
///
/// A statement that does not bind the verified ``Context/user`` is refused before it is sent, so that the user cannot be
/// forgotten.
public struct UserDatabase: Sendable {
    let context: Context
    let user: User

    /// Throws ``PostgresError``, or ``APIError`` 500 if `sql` does not bind the user.
    @discardableResult
    public func query(_ sql: SQL) async throws -> [Row] {
        guard sql.boundScopes.contains(Self.scope(of: user)) else {
            context.logger.error("a statement without the user was refused; bind \\(context.user) in it")
            throw APIError.internal
        }
        return try await context.query(sql)
    }

    /// Not the same as a tenant of that id.
    fileprivate static func scope(of user: User) -> String { "user \(user.id)" }
}

extension Context {
    /// The database, for statements that bind this request's user. Throws 401 if no person has called.
    public var userDatabase: UserDatabase {
        get throws(APIError) { UserDatabase(context: self, user: try person) }
    }

    /// The verified user, who is a person with or without a tenant. Throws 401 for the app's own keys.
    public var person: User {
        get throws(APIError) {
            let user = try user
            guard user.isPerson else { throw .unauthorized }
            return user
        }
    }
}

extension SQL.StringInterpolation {
    /// Binds the user's id as a parameter and marks the statement as scoped by it.
    public mutating func appendInterpolation(_ user: User) {
        appendInterpolation(user.id)
        markScope(UserDatabase.scope(of: user))
    }
}
