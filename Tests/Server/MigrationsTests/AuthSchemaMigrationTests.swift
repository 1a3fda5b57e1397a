import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The migrations of `auth`, where they make it and where GoTrue has made it.
@Suite(.needsDatabase, .hangLimit)
struct AuthSchemaMigrationTests {
    private static let tables = [
        "audit_log_entries", "flow_state", "identities", "mfa_amr_claims", "mfa_challenges", "mfa_factors",
        "mfa_recovery_code_sets", "mfa_recovery_codes", "one_time_tokens", "refresh_tokens", "sessions", "users",
        "webauthn_challenges", "webauthn_credentials",
    ]

    /// Everything in the schema that a migration could change.
    private static let inventory = """
        SELECT 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text,
            pg_get_expr(d.adbin, d.adrelid)
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
        WHERE c.relnamespace = 'auth'::regnamespace AND a.attnum > 0
        UNION ALL
        SELECT 'relation', relname, relowner::regrole::text, relacl::text, relrowsecurity::text, relkind::text
        FROM pg_class WHERE relnamespace = 'auth'::regnamespace
        UNION ALL
        SELECT 'function', proname, proowner::regrole::text, proacl::text, prosrc, NULL
        FROM pg_proc WHERE pronamespace = 'auth'::regnamespace
        UNION ALL
        SELECT 'schema', nspowner::regrole::text, nspacl::text, NULL, NULL, NULL FROM pg_namespace WHERE nspname = 'auth'
        UNION ALL
        SELECT 'user', to_jsonb(u)::text, NULL, NULL, NULL, NULL FROM auth.users u
        ORDER BY 1, 2, 3
        """

    private static func files() throws -> [MigrationFile] { try TestDatabase.files() }

    /// Forgets that the server's own ran, so that they run again.
    private static func migrateAgain(_ url: String) throws {
        try BlockingConnection.connect(to: url).execute("DELETE FROM swiftlet.migrations WHERE owner LIKE 'swiftlet%'")
        #expect(try Migrator(url: url, files: files()).apply().count >= 4)
    }

    @Test func `makes all tables, with row policies on and nobody let in`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        let rows = try connection.query(
            """
            SELECT relname FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'auth'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity
                AND NOT EXISTS (SELECT FROM pg_policy WHERE polrelid = pg_class.oid)
            ORDER BY 1
            """
        )
        #expect(rows.compactMap { $0[0] } == Self.tables)
        for role in ["anon", "authenticated"] {
            for table in Self.tables {
                let may = try connection.query("SELECT has_table_privilege('\(role)', 'auth.\(table)', 'SELECT')")
                #expect(may == [["f"]], "\(role) reads \(table)")
            }
        }
    }

    @Test func `makes the same columns that GoTrue has made`() throws {
        let columns = """
            SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull || a.attgenerated::text
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = 'auth'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                AND c.relname NOT IN ('schema_migrations', 'oauth_clients')
            ORDER BY 1
            """
        let ours = try BlockingConnection.connect(to: TestDatabase.create()).query(columns).compactMap { $0[0] }
        let theirs = try BlockingConnection.connect(to: GoTrueDatabase.create(.newest).administratorURL)
            .query(columns).compactMap { $0[0] }
        #expect(ours == theirs)
        #expect(ours.count > 80)
    }

    @Test func `can run twice, and keeps the accounts`() throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(
            """
            INSERT INTO auth.users (id, email) VALUES ('\(GoTrueDatabase.userID)', 'ada@acme.example');
            INSERT INTO swiftlet.login_attempts (subject, failures) VALUES ('account ada@acme.example', ARRAY[now()::timestamp]);
            """
        )
        let before = try connection.query(Self.inventory)
        try Self.migrateAgain(url)
        #expect(try connection.query(Self.inventory) == before)
        #expect(try connection.query("SELECT cardinality(failures) FROM swiftlet.login_attempts") == [["1"]])
    }

    @Test func `keeps addresses and tokens unique, and reads of empty tokens possible for GoTrue`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute("INSERT INTO auth.users (id, email) VALUES (gen_random_uuid(), 'a@b.example')")
        for text in [
            "INSERT INTO auth.users (id, email) VALUES (gen_random_uuid(), 'a@b.example')",
            "INSERT INTO auth.users (id, confirmation_token) VALUES (gen_random_uuid(), 'abc'), (gen_random_uuid(), 'abc')",
            """
            INSERT INTO auth.identities (provider_id, provider, user_id, identity_data)
            SELECT 'x', 'apple', id, '{}' FROM auth.users, generate_series(1, 2)
            """,
        ] {
            #expect { try connection.execute(text) } throws: { ($0 as? BlockingConnectionError)?.state == "23505" }
        }
        // Another account of the same address may come from SSO, and codes may repeat.
        try connection.execute(
            """
            INSERT INTO auth.users (id, email, is_sso_user, recovery_token) VALUES (gen_random_uuid(), 'a@b.example', true, '123456');
            INSERT INTO auth.users (id, recovery_token) VALUES (gen_random_uuid(), '123456');
            """
        )
        let unreadable = try connection.query(
            """
            SELECT 1 FROM auth.users WHERE confirmation_token IS NULL OR recovery_token IS NULL OR email_change IS NULL
                OR email_change_token_new IS NULL OR email_change_token_current IS NULL OR phone_change IS NULL
                OR phone_change_token IS NULL OR reauthentication_token IS NULL
            """
        )
        #expect(unreadable == [])
    }

    @Test func `finds a change of address by an index, for any address`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute("SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan")
        try connection.execute(
            "PREPARE change (text) AS SELECT id FROM auth.users WHERE email_change = $1 AND email_change <> ''"
        )
        let plan = try connection.query("EXPLAIN EXECUTE change ('a@b.example')").compactMap { $0[0] }
        #expect(plan.contains { $0.contains("users_email_change_idx") }, "\(plan)")
    }

    @Test(arguments: ["authenticated", "anon", "service_role"])
    func `tells policies who is asking`(role: String) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute("BEGIN; SET LOCAL ROLE \(role)")
        let text = "SELECT auth.uid()::text, auth.role(), auth.email(), auth.jwt() ->> 'aal'"
        #expect(try connection.query(text) == [[nil, nil, nil, nil]])
        let claims = #"{"sub":"\#(GoTrueDatabase.userID)","role":"\#(role)","email":"a@b.example","aal":"aal1"}"#
        try connection.query("SELECT set_config('request.jwt.claims', $1, true)", [claims])
        #expect(try connection.query(text) == [[GoTrueDatabase.userID, role, "a@b.example", "aal1"]])
        #expect { try connection.query("SELECT * FROM auth.users") } throws: {
            ($0 as? BlockingConnectionError)?.state == "42501"
        }
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `leaves a schema that GoTrue owns exactly as it is, as any role`(age: GoTrueDatabase.Age) throws {
        let database = try GoTrueDatabase.create(age)
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        let before = try administrator.query(Self.inventory)
        #expect(try Migrator(url: database.url, files: Self.files()).apply().count >= 6)
        #expect(try administrator.query(Self.inventory) == before)
        try Self.migrateAgain(database.url)
        #expect(try administrator.query(Self.inventory) == before)
        // Even a superuser, who might.
        let other = try GoTrueDatabase.create(age)
        let untouched = try BlockingConnection.connect(to: other.administratorURL)
        let all = try untouched.query(Self.inventory)
        try Migrator(url: other.administratorURL, files: Self.files()).apply()
        #expect(try untouched.query(Self.inventory) == all)
        #expect(try untouched.query("SELECT to_regclass('swiftlet.login_attempts') IS NOT NULL") == [["t"]])
    }

    @Test func `leaves a schema that it may not even look into`() throws {
        let database = try GoTrueDatabase.create(.older)
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute(
            """
            REVOKE ALL ON SCHEMA auth FROM swiftlet_test_server;
            REVOKE ALL ON ALL TABLES IN SCHEMA auth FROM swiftlet_test_server;
            """
        )
        try database.migrate()
        try Self.migrateAgain(database.url)
    }

    @Test func `completes old tables under the very role that owns them, but never the identities`() throws {
        let database = try GoTrueDatabase.create(.older)
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute(
            """
            GRANT CREATE, USAGE ON SCHEMA public TO supabase_auth_admin;
            ALTER SCHEMA swiftlet OWNER TO supabase_auth_admin;
            ALTER SCHEMA storage OWNER TO supabase_auth_admin
            """
        )
        let functions =
            "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'auth'::regnamespace AND proname IN ('uid', 'role')"
        let before = try administrator.query(functions)
        try Migrator(url: database.ownerURL, files: Self.files()).apply()
        try Self.migrateAgain(database.ownerURL)
        let names = try administrator.query(
            """
            SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = 'auth'::regnamespace AND a.attnum > 0
            """
        ).compactMap { $0[0] }
        for name in [
            "users.is_anonymous", "sessions.refresh_token_counter", "sessions.ip", "one_time_tokens.token_hash",
            "flow_state.auth_code_issued_at", "mfa_factors.last_challenged_at", "mfa_challenges.otp_code",
        ] {
            #expect(names.contains(name))
        }
        #expect(!names.contains("identities.provider_id"))
        #expect(try administrator.query(functions) == before)
        #expect(try administrator.query("SELECT auth.jwt() IS NULL") == [["t"]])
        #expect(
            try administrator.query("SELECT email, is_anonymous FROM auth.users ORDER BY email")
                == [[GoTrueDatabase.email, "f"], [GoTrueDatabase.appleEmail, "f"]]
        )
        #expect(
            try administrator.query("SELECT relrowsecurity FROM pg_class WHERE oid = 'auth.users'::regclass") == [["f"]]
        )
    }

    @Test func `completes an old table of challenges under the very role that owns it`() throws {
        let database = try GoTrueDatabase.create(.newest)
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute("ALTER TABLE auth.flow_state DROP COLUMN auth_code_issued_at")
        let file = try #require(Self.files().first { $0.name == "0010_flow_state" })
        let column =
            "SELECT FROM pg_attribute WHERE attrelid = 'auth.flow_state'::regclass AND attname = 'auth_code_issued_at'"
        for (url, count) in [(database.url, 0), (database.ownerURL, 1), (database.ownerURL, 1)] {
            try BlockingConnection.connect(to: url).execute(file.text)
            #expect(try administrator.query(column).count == count)
        }
    }

    @Test func `says what to grant where it may not make the schema`() throws {
        let url = try TestDatabase.createEmpty()
        let administrator = try BlockingConnection.connect(to: url)
        _ = try GoTrueDatabase.create(.older)  // makes the role
        let database = try #require(administrator.query("SELECT current_database()").first?.first ?? nil)
        try administrator.execute(
            """
            REVOKE CREATE ON DATABASE \(database) FROM PUBLIC;
            GRANT CREATE, USAGE ON SCHEMA public TO swiftlet_test_server;
            """
        )
        let separator = url.contains("?") ? "&" : "?"
        let migrator = Migrator(
            url: "\(url)\(separator)user=swiftlet_test_server&password=test",
            files: try Self.files()
        )
        #expect { try migrator.apply() } throws: { "\($0)".contains("CREATE SCHEMA IF NOT EXISTS swiftlet") }
        try administrator.execute("CREATE SCHEMA swiftlet AUTHORIZATION swiftlet_test_server")
        #expect { try migrator.apply() } throws: { "\($0)".contains("schema auth is missing") }
        try administrator.execute("CREATE SCHEMA auth AUTHORIZATION swiftlet_test_server")
        #expect { try migrator.apply() } throws: { "\($0)".contains("schema storage is missing") }
        try administrator.execute("CREATE SCHEMA storage AUTHORIZATION swiftlet_test_server")
        #expect(try migrator.apply().contains("0040_storage_schema"))
    }
}
