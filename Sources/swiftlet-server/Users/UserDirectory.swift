import Postgres

/// The accounts of a database, for an administrator: `auth.users`, `auth.identities` and `public.users`.
///
/// Works with the tables of any GoTrue version: columns that do not exist are left out.
struct UserDirectory: ~Copyable {
    private let connection: BlockingConnection
    /// Table, with its schema → columns.
    private let columns: [String: Set<String>]

    static func open(_ url: String) throws -> UserDirectory {
        let connection = try BlockingConnection.connect(to: url)
        var columns: [String: Set<String>] = [:]
        let rows = try connection.query(
            """
            SELECT n.nspname || '.' || c.relname, a.attname
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('auth', 'public') AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0
                AND NOT a.attisdropped
            """
        )
        for row in rows { columns[row[0] ?? "", default: []].insert(row[1] ?? "") }
        for table in ["auth.users", "auth.identities", "auth.sessions", "public.users"] where columns[table] == nil {
            throw CommandFailure("the table \(table) is missing: run swiftlet migrate")
        }
        return UserDirectory(connection: connection, columns: columns)
    }

    private init(connection: consuming BlockingConnection, columns: [String: Set<String>]) {
        self.connection = connection
        self.columns = columns
    }

    // MARK: Adding

    /// Creates an account, and the row in `public.users` unless there is one; returns the account's id.
    func add(_ user: NewUser) throws -> String {
        try inTransaction { directory in
            guard try directory.accounts(user.email).isEmpty else {
                throw CommandFailure(
                    "\(user.email) has an account already; a new password: swiftlet users set-password \(user.email)"
                )
            }
            let person = try directory.person(user.email)
            let place = try directory.place(user, person)
            // The same id in both tables, because rows refer to users by the token's subject.
            let id = try directory.identifier(person?.id)
            try directory.insertAccount(user, id: id, place)
            if let person {
                try directory.update(person.id, user, place)
            } else if place.tenant != nil {
                try directory.insertPerson(user, id: id, place)
            }
            return id
        }
    }

    private typealias Person = (id: String, tenant: String?, team: String?, role: String?)

    private func person(_ email: String) throws -> Person? {
        let row = try connection.query(
            "SELECT id, tenant_id, team_id, role_id FROM public.users WHERE lower(email) = $1 ORDER BY created_at LIMIT 1",
            [email]
        ).first
        return row.map { ($0[0] ?? "", $0[1], $0[2], $0[3]) }
    }

    private func place(_ user: NewUser, _ person: Person?) throws -> NewUser.Place {
        var place = NewUser.Place(tenant: user.tenant ?? person?.tenant, team: user.team ?? person?.team)
        place.roleID = person?.role
        if let tenant = place.tenant { try require(tenant: tenant, makes: user.makesTenant) }
        if let code = user.roleCode {
            let rows = try connection.query("SELECT id, level FROM public.roles WHERE lower(code) = lower($1)", [code])
            guard let row = rows.first else {
                let known = try connection.query("SELECT code FROM public.roles ORDER BY level, code LIMIT 50")
                let codes = known.compactMap { $0[0] }.joined(separator: ", ")
                throw CommandFailure("there is no role \(code); there are: \(codes.isEmpty ? "none" : codes)")
            }
            place.roleID = row[0]
        } else if let level = user.roleLevel, person != nil || place.tenant != nil {
            place.roleID = try role(ofLevel: level)
        }
        let level = try connection.query("SELECT level FROM public.roles WHERE id::text = $1", [place.roleID])
        place.roleLevel = user.roleLevel ?? level.first?[0].flatMap { Int($0) }
        return place
    }

    /// The role `LEVEL_n`, created when first needed: at sign-in, the level comes from the role in `public.users`.
    private func role(ofLevel level: Int) throws -> String? {
        let code = "LEVEL_\(level)"
        let find = "SELECT id FROM public.roles WHERE code = $1"
        if let role = try connection.query(find, [code]).first { return role[0] }
        try insert(
            "public.roles",
            [("name", "Level \(level)"), ("code", code), ("department", "general"), ("level", String(level))]
        )
        return try connection.query(find, [code]).first?[0]
    }

    private func require(tenant: String, makes: Bool) throws {
        if makes {
            try connection.query(
                "INSERT INTO public.tenants (id, name, slug) VALUES ($1, $1, $1) ON CONFLICT DO NOTHING",
                [tenant]
            )
        }
        guard try connection.query("SELECT 1 FROM public.tenants WHERE id::text = $1", [tenant]).isEmpty else { return }
        let known = try connection.query("SELECT id FROM public.tenants ORDER BY id LIMIT 20").compactMap { $0[0] }
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        throw CommandFailure("there is no tenant \(tenant); there are: \(list); --create-tenant creates it")
    }

    private func identifier(_ wanted: String?) throws -> String {
        let rows = try connection.query(
            """
            SELECT CASE WHEN $1 ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'
                AND NOT EXISTS (SELECT FROM auth.users WHERE id::text = lower($1)) THEN lower($1)
                ELSE gen_random_uuid()::text END
            """,
            [wanted]
        )
        return rows.first?[0] ?? ""
    }

    private func insertAccount(_ user: NewUser, id: String, _ place: NewUser.Place) throws {
        let now = "now"
        try insert(
            "auth.users",
            [
                ("instance_id", "00000000-0000-0000-0000-000000000000"), ("id", id), ("aud", "authenticated"),
                ("role", "authenticated"), ("email", user.email), ("encrypted_password", user.passwordHash),
                ("email_confirmed_at", now), ("confirmation_token", ""), ("recovery_token", ""),
                ("email_change_token_new", ""), ("email_change", ""), ("raw_app_meta_data", user.appMetadata(place)),
                ("raw_user_meta_data", user.userMetadata), ("created_at", now), ("updated_at", now),
            ]
        )
        // Before 2023 the provider's id was the key itself.
        let isNew = columns["auth.identities"]?.contains("provider_id") == true
        try insert(
            "auth.identities",
            [
                (isNew ? "provider_id" : "id", id), ("user_id", id), ("identity_data", user.identityData(id: id)),
                ("provider", "email"), ("last_sign_in_at", now), ("created_at", now), ("updated_at", now),
            ]
        )
    }

    private func insertPerson(_ user: NewUser, id: String, _ place: NewUser.Place) throws {
        try insert(
            "public.users",
            [
                ("id", id), ("tenant_id", place.tenant), ("email", user.email), ("first_name", user.firstName),
                ("last_name", user.lastName), ("role_id", place.roleID), ("team_id", place.team),
                ("is_platform_user", user.isPlatformUser ? "true" : "false"), ("is_active", "true"),
            ]
        )
    }

    /// Sets the given columns; the others keep their values.
    private func update(_ id: String, _ user: NewUser, _ place: NewUser.Place) throws {
        let cells: [(StaticString, String?)] = [
            ("tenant_id", place.tenant), ("role_id", place.roleID), ("team_id", place.team),
            ("first_name", user.firstName), ("last_name", user.lastName),
            ("is_platform_user", user.isPlatformUser ? "true" : nil), ("is_active", "true"),
        ]
        for (column, value) in cells {
            guard let value, columns["public.users"]?.contains(column.description) == true else { continue }
            try connection.query("UPDATE public.users SET \(column) = $1 WHERE id::text = $2", [value, id])
        }
    }

    /// Columns that the table lacks are left out. Names are literals, so the SQL is safe.
    private func insert(_ table: StaticString, _ cells: [(StaticString, String?)]) throws {
        let present = cells.filter { columns[table.description]?.contains($0.0.description) == true }
        let names = present.map(\.0.description).joined(separator: ", ")
        let places = (1...max(1, present.count)).map { "$\($0)" }.joined(separator: ", ")
        try connection.query("INSERT INTO \(table) (\(names)) VALUES (\(places))", present.map(\.1))
    }

    // MARK: Changing

    /// Sets the hash, ends all sessions, revokes one-time tokens and resets failed attempts.
    func setPassword(_ hash: String, email: String) throws {
        try inTransaction { directory in
            let id = try directory.account(email)
            try directory.connection.query(
                "UPDATE auth.users SET encrypted_password = $1, updated_at = now() WHERE id = $2::uuid",
                [hash, id]
            )
            try directory.endSessions(id)
            try directory.revokeOneTimeTokens(id)
            try directory.connection.query(
                "DELETE FROM public.login_attempts WHERE subject = 'account ' || $1",
                [email]
            )
        }
    }

    /// Sets `banned_until`, to a hundred years as GoTrue does, and `is_active` in `public.users`.
    func setEnabled(_ isEnabled: Bool, email: String) throws {
        try inTransaction { directory in
            let id = try directory.account(email)
            try directory.connection.query(
                """
                UPDATE auth.users SET updated_at = now(),
                    banned_until = CASE WHEN $1::boolean THEN NULL ELSE now() + interval '100 years' END
                WHERE id = $2::uuid
                """,
                [isEnabled ? "true" : "false", id]
            )
            if directory.columns["public.users"]?.contains("is_active") == true {
                try directory.connection.query(
                    "UPDATE public.users SET is_active = $1::boolean WHERE id::text = $2 OR lower(email) = $3",
                    [isEnabled ? "true" : "false", id, email]
                )
            }
            if !isEnabled { try directory.endSessions(id) }
        }
    }

    private func endSessions(_ id: String) throws {
        try connection.query("DELETE FROM auth.sessions WHERE user_id = $1::uuid", [id])
        try connection.query("DELETE FROM auth.refresh_tokens WHERE user_id = $1", [id])
    }

    /// Revokes links and codes that were sent by mail, and a pending change of the address.
    private func revokeOneTimeTokens(_ id: String) throws {
        let cells: [StaticString] = [
            "confirmation_token", "recovery_token", "email_change_token_new", "email_change",
            "email_change_token_current", "reauthentication_token",
        ]
        for column in cells where columns["auth.users"]?.contains(column.description) == true {
            try connection.query("UPDATE auth.users SET \(column) = '' WHERE id = $1::uuid", [id])
        }
        guard columns["auth.one_time_tokens"] != nil else { return }
        try connection.query("DELETE FROM auth.one_time_tokens WHERE user_id = $1::uuid", [id])
    }

    private func account(_ email: String) throws -> String {
        let ids = try accounts(email)
        guard let id = ids.first else {
            throw CommandFailure("\(email) has no account; make one with: swiftlet users add \(email)")
        }
        return id
    }

    /// Without accounts of single sign-on, which may have the same address.
    private func accounts(_ email: String) throws -> [String] {
        let own: StaticString =
            columns["auth.users"]?.contains("is_sso_user") == true ? " AND NOT is_sso_user" : ""
        return try connection.query("SELECT id FROM auth.users WHERE lower(email) = $1\(own)", [email])
            .compactMap { $0[0] }
    }

    // MARK: Listing

    /// Rows of address, state, tenant, role level, last sign-in, id; by address.
    func list(tenant: String?, limit: Int) throws -> [[String]] {
        let deleted: StaticString =
            columns["auth.users"]?.contains("deleted_at") == true ? " AND account.deleted_at IS NULL" : ""
        return try connection.query(
            """
            SELECT coalesce(nullif(account.email, ''), '-'),
                CASE WHEN account.banned_until > now() THEN 'disabled'
                    WHEN account.email_confirmed_at IS NULL THEN 'unconfirmed' ELSE 'active' END,
                coalesce(place.tenant, '-'), coalesce(place.level, '-'),
                coalesce(to_char(account.last_sign_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), 'never'),
                account.id
            FROM auth.users AS account
                LEFT JOIN public.users AS person ON person.id::text = account.id::text
                LEFT JOIN public.roles AS role ON role.id::text = person.role_id::text,
                LATERAL (
                    SELECT coalesce(
                        person.tenant_id::text, account.raw_app_meta_data ->> 'tenant_id',
                        account.raw_app_meta_data ->> 'tenantId'
                    ) AS tenant,
                    coalesce(
                        role.level::text, account.raw_app_meta_data ->> 'role_level',
                        account.raw_app_meta_data ->> 'roleLevel'
                    ) AS level
                ) AS place
            WHERE ($1::text IS NULL OR place.tenant = $1)\(deleted)
            ORDER BY 1, account.id LIMIT $2
            """,
            [tenant, String(limit)]
        ).map { row in row.map { $0 ?? "-" } }
    }

    private func inTransaction<Value>(_ body: (borrowing UserDirectory) throws -> Value) throws -> Value {
        try connection.execute("BEGIN")
        do {
            let value = try body(self)
            try connection.execute("COMMIT")
            return value
        } catch {
            try? connection.execute("ROLLBACK")
            throw error
        }
    }
}
