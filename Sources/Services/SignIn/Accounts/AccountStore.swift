import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Finds and inserts the accounts in the database. For other changes, run ``AccountStatements`` in a
/// ``transaction(_:)``.
struct AccountStore: Sendable {
    private(set) var database: AccountDatabase
    let schema: AuthSchema

    init(_ database: Database, writesAudit: Bool = true) {
        self.database = AccountDatabase(database)
        schema = AuthSchema(database, hiding: writesAudit ? [] : ["audit_log_entries"])
    }

    /// See ``AccountDatabase/count(in:)``.
    mutating func count(in context: Context) { database.count(in: context) }

    /// Runs `body`, which makes and runs statements, and repeats it if the tables turn out to have changed.
    func withTables<Value>(_ body: (AccountTables) async throws -> Value) async throws -> Value {
        let tenantTables = try await database.schema()
        return try await schema.withTables { try await body(AccountTables($0, tenantTables)) }
    }

    /// Runs `body` in a transaction, and repeats both if the tables turn out to have changed.
    func transaction<Value>(_ body: (AccountTransaction) async throws -> Value) async throws -> Value {
        try await withTables { tables in
            try await database.transaction { try await body(AccountTransaction($0, tables)) }
        }
    }

    /// Makes the statements, and runs them in one transaction and one round trip.
    func run(_ make: (AccountTables) throws -> [SQL]) async throws {
        try await withTables { tables in
            let statements = try make(tables)
            try await database.transaction { _ = try await $0.queryAll(statements) }
        }
    }

    // MARK: Finding

    func find(id: String) async throws -> Account? {
        try await withTables { tables in
            try await database.query(tables.statements.selection(of: id)).first.flatMap(Account.init)
        }
    }

    /// Finds an account by id. Throws ``SignInError`` 404.
    func existing(id: String) async throws -> Account {
        guard let account = try await find(id: id) else {
            throw SignInError.userNotFound
        }
        return account
    }

    func find(email: String) async throws -> Account? {
        try await withTables { tables in
            try await database.query(
                """
                SELECT \(tables.sql.columns) FROM auth.users AS u WHERE \(tables.sql.hasEmail(email))
                ORDER BY u.email <> \(email.lowercased()) LIMIT 1
                """
            ).first.flatMap(Account.init)
        }
    }

    /// Finds the account with an identity of this verified address, or with one of `others`, its own or an identity's;
    /// nil if there are several, as nobody knows then which is meant.
    func findOwner(of email: String, orOneOf others: [String]) async throws -> Account? {
        try await withTables { tables in
            let own = others.reduce("false" as SQL) { "\($0) OR \(tables.sql.hasEmail($1))" }
            let isAccount: SQL = tables.has("users", "is_sso_user") ? "u.is_sso_user = false" : "true"
            let rows = try await database.query(
                """
                SELECT \(tables.sql.columns) FROM auth.users AS u WHERE \(own) OR (\(isAccount) AND u.id IN (
                    SELECT i.user_id FROM auth.identities AS i
                    WHERE \(Self.identityEmail(tables)) = ANY (\([email] + others))
                        AND i.identity_data ->> 'email_verified' = 'true'
                ))
                LIMIT 2
                """
            )
            return rows.count == 1 ? try rows.first.flatMap(Account.init) : nil
        }
    }

    /// The column that has an index, where there is one.
    private static func identityEmail(_ tables: AccountTables) -> SQL {
        tables.has("identities", "email") ? "i.email" : "lower(i.identity_data ->> 'email')"
    }

    func find(phone number: PhoneNumber) async throws -> Account? {
        try await withTables { tables in
            try await database.query(
                "SELECT \(tables.sql.columns) FROM auth.users AS u WHERE \(tables.sql.hasPhone(number.rawValue))"
            ).first.flatMap(Account.init)
        }
    }

    /// Finds the account that was the last to ask for this number, which it has not confirmed yet.
    func find(newPhone number: PhoneNumber) async throws -> Account? {
        try await withTables { tables in
            let rows = try await database.query(
                """
                SELECT \(tables.sql.columns) FROM auth.users AS u WHERE \(tables.sql.awaitsPhone(number.rawValue))
                LIMIT 2
                """
            )
            // Of two that want it, nobody knows whose is meant.
            return rows.count == 1 ? try rows.first.flatMap(Account.init) : nil
        }
    }

    /// Finds an account by the user's id at an identity provider.
    func find(provider: String, subject: String) async throws -> Account? {
        try await withTables { tables in
            let column = SQL(text: tables.subjectColumn.description)
            return try await database.query(
                """
                SELECT \(tables.sql.columns) FROM auth.users AS u WHERE u.id = (
                    SELECT user_id FROM auth.identities WHERE provider = \(provider) AND \(column) = \(subject)
                )
                """
            ).first.flatMap(Account.init)
        }
    }

    /// An account, and what is known of one of its sessions.
    struct AccountInSession: Sendable {
        let account: Account
        /// Whether the session still exists; true for a nil session.
        let hasSession: Bool
        /// The session's assurance level, `aal1` for none.
        let assurance: String
    }

    func find(id: String, session: String?) async throws -> AccountInSession? {
        try await withTables { tables in
            let rows = try await database.query(
                """
                SELECT \(tables.sql.columns), (
                    \(session)::uuid IS NULL OR EXISTS (
                        SELECT FROM auth.sessions WHERE id = \(session)::uuid AND user_id = u.id
                    )
                ) AS has_session, (
                    SELECT s.aal::text FROM auth.sessions AS s WHERE s.id = \(session)::uuid AND s.user_id = u.id
                ) AS aal FROM auth.users AS u WHERE u.id = \(id)
                """
            )
            guard let row = rows.first, let account = try Account(row) else { return nil }
            return AccountInSession(
                account: account,
                hasSession: try row.decode(Bool.self, "has_session"),
                assurance: row["aal"] ?? "aal1"
            )
        }
    }

    /// Finds a user in `public.users`, with the password hash there.
    func findPerson(email: String) async throws -> Person? {
        try await withTables { tables in
            guard let query = tables.sql.person(email: email) else { return nil }
            guard let row = try await database.query(query).first else { return nil }
            return Person(
                id: try row.decode(String.self, "id"),
                passwordHash: try row.decode(String.self, "hash"),
                isActive: try row.decode(Bool.self, "is_active")
            )
        }
    }

    /// Whether somebody in `public.users` has this id, with an account or not.
    func hasPerson(id: String) async throws -> Bool {
        try await withTables { tables in
            guard let query = tables.sql.person(id: id) else { return false }
            return try await !database.query(query).isEmpty
        }
    }

    struct Person: Sendable {
        let id: String
        let passwordHash: String
        let isActive: Bool
    }

    /// A page of all accounts, or of those with `text` in their address or their full name, newest first, and the number
    /// of all of them.
    func list(
        limit: Int,
        offset: Int,
        matching text: String? = nil,
        isOldestFirst: Bool = false
    ) async throws -> (accounts: [Account], total: Int) {
        try await withTables { tables in
            var condition: SQL = ""
            if let text {
                condition = """
                    WHERE strpos(u.email, \(text)) > 0
                        OR strpos(lower(u.raw_user_meta_data ->> 'full_name'), lower(\(text))) > 0
                    """
            }
            let order: SQL = isOldestFirst ? "u.created_at, u.id" : "u.created_at DESC, u.id"
            let rows = try await database.query(
                """
                SELECT \(tables.sql.columns) FROM auth.users AS u \(condition)
                ORDER BY \(order) LIMIT \(limit) OFFSET \(offset)
                """
            )
            let count = try await database.query("SELECT count(*) AS total FROM auth.users AS u \(condition)").first
            return (try rows.compactMap(Account.init), try count?.decode(Int.self, "total") ?? 0)
        }
    }

    /// Inserts the account with its identities. Throws ``PostgresError``, for a duplicate with
    /// ``SQLState/uniqueViolation``.
    func insert(_ new: NewAccount) async throws {
        try await run { $0.statements.insertion(of: new) }
    }
}

extension PostgresError {
    /// Whether an account or an identity with such a key exists already: a
    /// trigger can violate the keys of other tables.
    var isDuplicateAccount: Bool {
        state == .uniqueViolation && schema == "auth" && ["users", "identities"].contains(table)
    }
}
