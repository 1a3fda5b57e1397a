internal import JSON
internal import Postgres

/// The accounts in the database. Statements that change something are values, so that several go in one round trip.
struct AccountStore: Sendable {
    let database: Database
    let schema: AuthSchema

    /// What this database looks like, for the statements below.
    struct Shape: Sendable {
        let tables: AuthTables
        let sql: AccountSQL
    }

    /// Runs a body that makes statements, again when the tables have changed meanwhile.
    func withShape<Value>(_ body: (Shape) async throws -> Value) async throws -> Value {
        if database.schema.version == 0 { try await database.reloadSchema() }
        return try await schema.withTables { tables in
            try await body(Shape(tables: tables, sql: AccountSQL(tables, database.schema)))
        }
    }

    // MARK: Finding

    func find(id: String) async throws -> Account? {
        try await withShape { shape in
            try await database.query(reading(id, shape)).first.flatMap(Account.init)
        }
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

    /// By the person's id at a provider.
    func find(provider: String, subject: String) async throws -> Account? {
        try await withShape { shape in
            // Older tables call it id.
            let column: SQL = shape.tables.has("identities", "provider_id") ? "provider_id" : "id"
            return try await database.query(
                """
                SELECT \(shape.sql.columns) FROM auth.users AS u WHERE u.id = (
                    SELECT user_id FROM auth.identities WHERE provider = \(provider) AND \(column) = \(subject)
                )
                """
            ).first.flatMap(Account.init)
        }
    }

    /// The account and whether the session is still there; a token without a session is judged by its account alone.
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

    /// Somebody whom only `public.users` knows, with the hash that is there.
    func findPerson(email: String) async throws -> Person? {
        try await withShape { shape in
            guard let question = shape.sql.person(email: email) else { return nil }
            guard let row = try await database.query(question).first else { return nil }
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

    /// Newest first; `total` counts all.
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

    // MARK: Statements

    func reading(_ id: String, _ shape: Shape) -> SQL {
        "SELECT \(shape.sql.columns) FROM auth.users AS u WHERE u.id = \(id)"
    }

    /// Token columns are empty texts, not NULL, as GoTrue cannot read NULL in them; `confirmed_at` makes itself.
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
        row.set(shape.tables.has("identities", "provider_id") ? "provider_id" : "id", "\(new.subject)")
        row.set("user_id", "\(id)")
        row.set("provider", "\(new.provider)")
        row.set("identity_data", "\(JSONValue.object(new.data).description)")
        row.set("last_sign_in_at", "now()")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }

    /// `change` says which columns; `updated_at` goes with them.
    func update(_ id: String, _ shape: Shape, _ change: (inout RowValues) -> Void) -> SQL {
        var row = RowValues("users", shape.tables)
        change(&row)
        row.set("updated_at", "now()")
        return row.update(where: "id = \(id)")
    }

    /// Another password, at the wish of its owner or of an administrator. Letters that are under way lead in no more,
    /// nor does a change of address count that is not confirmed yet: whoever knew the old password, or had a session,
    /// may have asked for them.
    func changePassword(of id: String, to hash: String, _ shape: Shape) -> [SQL] {
        let change = update(id, shape) { row in
            row.set("encrypted_password", "\(hash)")
            for column in Self.letterColumns { row.set(column, "''") }
        }
        guard shape.tables.has("one_time_tokens", "user_id") else { return [change] }
        return [change, "DELETE FROM auth.one_time_tokens WHERE user_id = \(id)"]
    }

    static func ban(_ seconds: Int) -> SQL { "now() + \(seconds) * interval '1 second'" }

    private static let letterColumns: [StaticString] = [
        "confirmation_token", "recovery_token", "email_change_token_new", "email_change",
        "email_change_token_current", "reauthentication_token",
    ]

    private static let tokenColumns = letterColumns + ["phone_change", "phone_change_token"]
}
