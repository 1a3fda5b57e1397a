import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// The files in `migrations/`, on fresh and on lived-in databases.
@Suite(.needsDatabase, .hangLimit)
struct SchemaTests {
    private static let tables = [
        "alerts", "business_record_activities", "business_records", "check_ins", "company_contacts", "contracts",
        "deal_stages", "deals", "devices", "equipment", "invoice_line_items", "invoices",
        "meter_readings", "poop_logs", "proposal_line_items", "proposal_templates", "proposals", "push_messages",
        "push_tokens", "quote_line_items", "quotes", "responders", "roles", "service_ticket_attachments",
        "service_ticket_updates", "service_tickets", "task_comments", "tasks", "teams", "tenants", "time_entries",
        "user_notifications", "users",
    ]

    @Test func `makes every table with row policies on, and not forced on the owner`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        let rows = try connection.query(
            """
            SELECT relname FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity
            ORDER BY 1
            """
        )
        #expect(rows.compactMap { $0[0] } == Self.tables)
    }

    @Test func `asks for nothing of the runner's own: psql can apply it too`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        for file in try TestDatabase.files() {
            try connection.execute(file.text)
        }
        #expect(try connection.query("SELECT count(*) FROM tasks") == [["0"]])
    }

    @Test(arguments: [
        ("tasks", "WHERE tenant_id = 'a' ORDER BY created_at DESC NULLS LAST, id LIMIT 25", "tasks_tenant_created"),
        (
            "tasks", "WHERE tenant_id = 'a' AND status = 'todo' ORDER BY created_at DESC NULLS LAST, id LIMIT 25",
            "tasks_tenant_status"
        ),
        (
            "tasks", "WHERE tenant_id = 'a' AND assigned_to = 'u' ORDER BY created_at DESC NULLS LAST, id LIMIT 25",
            "tasks_tenant_assigned"
        ),
        (
            "user_notifications",
            "WHERE tenant_id = 'a' AND user_id = 'u' ORDER BY created_at DESC NULLS LAST, id LIMIT 25",
            "user_notifications_user"
        ),
    ])
    func `serves a page from one index, without sorting`(table: String, rest: String, index: String) throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
        let plan = try connection.query("EXPLAIN SELECT * FROM \(table) \(rest)").compactMap { $0[0] }.joined(
            separator: "\n"
        )
        #expect(plan.contains("using \(index)"))
        #expect(!plan.contains("Sort"))
    }

    @Test func `lets a token's role see its tenant only, by the policies alone`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            INSERT INTO tasks (tenant_id, title, created_by) VALUES ('a', 'ours', 'u'), ('b', 'theirs', 'v');
            INSERT INTO user_notifications (tenant_id, user_id, title, message) VALUES ('a', 'u', 'mine', ''), ('a', 'w', 'other', '');
            """
        )
        func asked(_ claims: String, _ text: String) throws -> [[String?]] {
            try connection.execute("BEGIN; SET LOCAL ROLE authenticated")
            defer { try? connection.execute("ROLLBACK") }
            try connection.query("SELECT set_config('request.jwt.claims', $1, true)", [claims])
            return try connection.query(text)
        }
        for claims in [
            #"{"sub":"u","app_metadata":{"tenant_id":"a"}}"#, #"{"sub":"u","app_metadata":{"tenantId":"a"}}"#,
        ] {
            #expect(try asked(claims, "SELECT title FROM tasks") == [["ours"]])
            #expect(try asked(claims, "SELECT title FROM user_notifications") == [["mine"]])
        }
        #expect(try asked(#"{"user_metadata":{"tenant_id":"a"}}"#, "SELECT title FROM tasks") == [])
        #expect(try asked("", "SELECT title FROM tasks") == [])
        #expect {
            try asked(
                #"{"app_metadata":{"tenant_id":"a"}}"#,
                "INSERT INTO tasks (tenant_id, title, created_by) VALUES ('b', 'planted', 'u')"
            )
        } throws: {
            ($0 as? BlockingConnectionError)?.state == "42501"
        }
        #expect {
            try asked(#"{"app_metadata":{"tenant_id":"a"}}"#, "SELECT password_hash FROM users")
        } throws: {
            ($0 as? BlockingConnectionError)?.state == "42501"
        }
    }

    @Test(arguments: [
        "UPDATE roles SET level = 8", "UPDATE users SET is_platform_user = true", "UPDATE tenants SET plan = 'pro'",
        "UPDATE teams SET manager_id = 'u'", "DELETE FROM users", "DELETE FROM swiftlet.migrations",
        "INSERT INTO roles (name, code, department) VALUES ('Root', 'ROOT', 'it')",
    ])
    func `lets a token's role change nobody's rights, even where all is granted to everybody`(text: String) throws {
        let url = try TestDatabase.createEmpty()
        let connection = try BlockingConnection.connect(to: url)
        let files = try TestDatabase.files()
        // The roles, and then grants as Supabase has them.
        try Migrator(url: url, files: Array(files.prefix(1))).apply()
        try connection.execute(
            """
            GRANT ALL ON ALL TABLES IN SCHEMA public TO anon, authenticated;
            ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated
            """
        )
        try Migrator(url: url, files: files).apply()
        try connection.execute(
            """
            INSERT INTO tenants (id, name, slug) VALUES ('a', 'A', 'a');
            INSERT INTO roles (id, name, code, department) VALUES ('r', 'Clerk', 'CLERK', 'sales');
            INSERT INTO teams (id, tenant_id, name, department) VALUES ('t', 'a', 'One', 'sales');
            INSERT INTO users (id, tenant_id, email) VALUES ('u', 'a', 'ada@a.example')
            """
        )
        try connection.execute("SET ROLE authenticated")
        let claims = #"{"sub":"u","app_metadata":{"tenant_id":"a"}}"#
        try connection.query("SELECT set_config('request.jwt.claims', $1, false)", [claims])
        for table in ["tenants", "roles", "teams", "users"] {
            #expect(try connection.query("SELECT count(*) FROM \(table)") == [["1"]])
        }
        let changed = try? connection.query(text + " RETURNING 1")
        #expect(changed ?? [] == [])
    }

    @Test func `keeps the data and types of tables that were there before`() throws {
        let url = try TestDatabase.createEmpty()
        let connection = try BlockingConnection.connect(to: url)
        // The second definition in the wild: uuid keys, enums, tags as jsonb; notifications with uuid everywhere.
        try connection.execute(
            """
            CREATE TYPE task_status AS ENUM ('todo', 'in_progress', 'review', 'completed', 'blocked', 'cancelled');
            CREATE TABLE tasks (
                id uuid PRIMARY KEY DEFAULT gen_random_uuid(), tenant_id uuid NOT NULL, title varchar(255) NOT NULL,
                status task_status NOT NULL DEFAULT 'todo', tags jsonb DEFAULT '[]', created_by varchar NOT NULL
            );
            CREATE TABLE user_notifications (
                id uuid PRIMARY KEY, tenant_id uuid NOT NULL, user_id uuid NOT NULL, title varchar(255) NOT NULL,
                message text NOT NULL, read boolean NOT NULL DEFAULT false
            );
            CREATE TABLE task_comments (
                id varchar PRIMARY KEY, tenant_id varchar NOT NULL, task_id varchar NOT NULL, user_id varchar NOT NULL,
                comment text NOT NULL
            );
            INSERT INTO tasks (tenant_id, title, status, tags, created_by)
            VALUES ('00000000-0000-4000-8000-000000000001', 'old', 'blocked', '["x"]', 'u');
            INSERT INTO task_comments VALUES ('c', 't', 'gone', 'u', 'an orphan');
            """
        )
        let applied = try Migrator(url: url, files: TestDatabase.files()).apply()
        #expect(applied.count >= 4)
        let rows = try connection.query("SELECT title, status::text, tags::text, priority, comment_count FROM tasks")
        #expect(rows == [["old", "blocked", #"["x"]"#, "medium", "0"]])
        #expect(try connection.query("SELECT comment FROM task_comments") == [["an orphan"]])
        // Whom its owner lets in is the owner's decision.
        #expect(try connection.query("SELECT relrowsecurity FROM pg_class WHERE oid = 'tasks'::regclass") == [["f"]])
        try connection.execute("SET ROLE authenticated")
        #expect(throws: (any Error).self) { try connection.query("SELECT title FROM tasks") }
    }

    @Test func `can be applied by an owner who may not create roles`() throws {
        let url = try TestDatabase.createEmpty()
        let administrator = try BlockingConnection.connect(to: url)
        let name = "owner_\(url.hashValue.magnitude % 1_000_000)"
        let database = try #require(administrator.query("SELECT current_database()").first?.first ?? nil)
        try administrator.execute(
            """
            CREATE ROLE \(name) LOGIN NOCREATEROLE PASSWORD 'secret';
            ALTER DATABASE \(database) OWNER TO \(name);
            ALTER SCHEMA public OWNER TO \(name);
            """
        )
        defer {
            try? administrator.execute(
                "DROP OWNED BY \(name) CASCADE; ALTER DATABASE \(database) OWNER TO CURRENT_USER; DROP ROLE \(name)"
            )
        }
        let separator = url.contains("?") ? "&" : "?"
        let applied = try Migrator(
            url: "\(url)\(separator)options=-c%20role%3D\(name)",
            files: TestDatabase.files()
        ).apply()
        #expect(applied.first == "0001_claims_and_roles")
        let owner = try administrator.query("SELECT tableowner FROM pg_tables WHERE tablename = 'tasks'")
        #expect(owner == [[name]])
    }

    @Test func `deletes comments and times with their task`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        try connection.execute(
            """
            INSERT INTO tasks (id, tenant_id, title, created_by) VALUES ('t', 'a', 'one', 'u');
            INSERT INTO task_comments (tenant_id, task_id, user_id, comment) VALUES ('a', 't', 'u', 'hello');
            INSERT INTO time_entries (tenant_id, task_id, user_id, hours) VALUES ('a', 't', 'u', 30);
            DELETE FROM tasks;
            """
        )
        #expect(try connection.query("SELECT 1 FROM task_comments UNION ALL SELECT 1 FROM time_entries") == [])
    }
}
