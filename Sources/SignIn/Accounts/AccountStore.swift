import HTTP
import JSON
import Postgres

/// The accounts in the database. Changes are returned as statements, so that callers can combine them in one
/// transaction.
struct AccountStore: Sendable {
    let database: AccountDatabase
    let schema: AuthSchema

    init(_ database: Database) {
        self.database = AccountDatabase(database)
        schema = AuthSchema(database)
    }

    /// The tables of this database, for building statements.
    struct Shape: Sendable {
        let tables: AuthTables
        let sql: AccountSQL

        /// The column of `auth.identities` with the user's id at the provider; older tables call it `id`.
        var subjectColumn: StaticString { tables.has("identities", "provider_id") ? "provider_id" : "id" }

        /// Older versions of GoTrue keep one-time tokens in the columns of `auth.users` only.
        var hasTokenTable: Bool { tables.has("one_time_tokens", "user_id") }
    }

    /// Runs `body`, which builds and runs statements, and repeats it if the tables turn out to have changed.
    func withShape<Value>(_ body: (Shape) async throws -> Value) async throws -> Value {
        let tenantTables = try await database.schema()
        return try await schema.withTables { tables in
            try await body(Shape(tables: tables, sql: AccountSQL(tables, tenantTables)))
        }
    }

    // MARK: Finding

    func find(id: String) async throws -> Account? {
        try await withShape { shape in
            try await database.query(reading(id, shape)).first.flatMap(Account.init)
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
        try await withShape { shape in
            try await database.query(
                """
                SELECT \(shape.sql.columns) FROM auth.users AS u WHERE \(shape.sql.hasEmail(email))
                ORDER BY u.email <> \(email.lowercased()) LIMIT 1
                """
            ).first.flatMap(Account.init)
        }
    }

    /// Finds an account by the user's id at an identity provider.
    func find(provider: String, subject: String) async throws -> Account? {
        try await withShape { shape in
            let column = SQL(text: shape.subjectColumn.description)
            return try await database.query(
                """
                SELECT \(shape.sql.columns) FROM auth.users AS u WHERE u.id = (
                    SELECT user_id FROM auth.identities WHERE provider = \(provider) AND \(column) = \(subject)
                )
                """
            ).first.flatMap(Account.init)
        }
    }

    /// The account, and whether the session still exists; true for a nil session.
    func find(id: String, session: String?) async throws -> (account: Account, hasSession: Bool)? {
        try await withShape { shape in
            let rows = try await database.query(
                """
                SELECT \(shape.sql.columns), (
                    \(session)::uuid IS NULL OR EXISTS (
                        SELECT FROM auth.sessions WHERE id = \(session)::uuid AND user_id = u.id
                    )
                ) AS has_session FROM auth.users AS u WHERE u.id = \(id)
                """
            )
            guard let row = rows.first, let account = try Account(row) else { return nil }
            return (account, try row.decode(Bool.self, "has_session"))
        }
    }

    /// Finds a user in `public.users`, with the password hash there.
    func findPerson(email: String) async throws -> Person? {
        try await withShape { shape in
            guard let query = shape.sql.person(email: email) else { return nil }
            guard let row = try await database.query(query).first else { return nil }
            return Person(
                id: try row.decode(String.self, "id"),
                passwordHash: try row.decode(String.self, "hash"),
                isActive: try row.decode(Bool.self, "is_active")
            )
        }
    }

    struct Person: Sendable {
        let id: String
        let passwordHash: String
        let isActive: Bool
    }

    /// A page of all accounts, newest first, and their total number.
    func list(limit: Int, offset: Int) async throws -> (accounts: [Account], total: Int) {
        try await withShape { shape in
            let rows = try await database.query(
                """
                SELECT \(shape.sql.columns) FROM auth.users AS u
                ORDER BY u.created_at DESC, u.id LIMIT \(limit) OFFSET \(offset)
                """
            )
            let count = try await database.query("SELECT count(*) AS total FROM auth.users").first
            return (try rows.compactMap(Account.init), try count?.decode(Int.self, "total") ?? 0)
        }
    }

    /// Inserts the account with its identities. Throws ``PostgresError``, for a duplicate with
    /// ``SQLState/uniqueViolation``.
    func insert(_ new: NewAccount) async throws {
        try await withShape { shape in
            try await database.transaction { _ = try await $0.queryAll(insertion(new, shape)) }
        }
    }

    // MARK: Statements

    func reading(_ id: String, _ shape: Shape) -> SQL {
        "SELECT \(shape.sql.columns) FROM auth.users AS u WHERE u.id = \(id)"
    }

    /// Token columns are set to empty strings because GoTrue cannot read NULL in them; `confirmed_at` is generated.
    func insertion(_ new: NewAccount, _ shape: Shape) -> [SQL] {
        var row = RowValues("users", shape.tables)
        row.set("instance_id", "\(AccountSQL.instance)")
        row.set("id", "\(new.id)")
        row.set("aud", "\(new.audience)")
        row.set("role", "\(new.role)")
        row.set("email", "\(new.email)")
        row.set("phone", "\(new.phone)")
        row.set("encrypted_password", "\(new.passwordHash ?? "")")
        if new.isEmailConfirmed { row.set("email_confirmed_at", "now()") }
        if new.isPhoneConfirmed { row.set("phone_confirmed_at", "now()") }
        if let seconds = new.banSeconds, seconds > 0 { row.set("banned_until", Self.ban(seconds)) }
        row.set("raw_app_meta_data", "\(JSONValue.object(new.appMetadata).description)")
        row.set("raw_user_meta_data", "\(JSONValue.object(new.userMetadata).description)")
        row.set("is_anonymous", "\(new.isAnonymous)")
        row.set("is_sso_user", "false")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        for column in Self.tokenColumns { row.set(column, "''") }
        row.set("email_change_confirm_status", "0")
        return [row.insertion] + new.identities.map { insertion($0, of: new.id, shape) }
    }

    func insertion(_ new: NewIdentity, of id: String, _ shape: Shape) -> SQL {
        var row = RowValues("identities", shape.tables)
        row.set(shape.subjectColumn, "\(new.subject)")
        row.set("user_id", "\(id)")
        row.set("provider", "\(new.provider)")
        row.set("identity_data", "\(JSONValue.object(new.data).description)")
        row.set("last_sign_in_at", "now()")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }

    /// Sets the columns that `change` adds, and `updated_at`.
    func update(_ id: String, _ shape: Shape, _ change: (inout RowValues) -> Void) -> SQL {
        var row = RowValues("users", shape.tables)
        change(&row)
        row.set("updated_at", "now()")
        return row.update(where: "id = \(id)")
    }

    static func ban(_ seconds: Int) -> SQL { "now() + \(seconds) * interval '1 second'" }

    /// GoTrue cannot read NULL in these columns.
    private static let tokenColumns = mailTokenColumns + ["phone_change", "phone_change_token"]
}
