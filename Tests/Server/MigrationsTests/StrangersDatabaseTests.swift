import Foundation
import SwiftletMigrations
import SwiftletPostgres
import SwiftletTesting
import Testing

/// A database that others have made: a Supabase project of the usual shape, with its default privileges.
@Suite(.needsDatabase, .hangLimit)
struct StrangersDatabaseTests {
    private let url: String

    init() throws {
        url = try GoTrueDatabase.create(.newest).administratorURL
        try execute(Self.project)
    }

    /// Tables, rights, policies, triggers and constraints of everything that is not ours.
    private static let inventory = """
        SELECT 'table ' || c.oid::regclass || ' ' || c.relrowsecurity || coalesce(c.relacl::text, '-') FROM pg_class AS c
            JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('public', 'auth') AND c.relkind IN ('r', 'v', 'i', 'S')
        UNION ALL SELECT 'column ' || a.attrelid::regclass || '.' || a.attname || format_type(a.atttypid, a.atttypmod)
                || a.attnotnull || coalesce(a.attacl::text, '-') || coalesce(pg_get_expr(d.adbin, d.adrelid), '-')
            FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
            LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE n.nspname IN ('public', 'auth') AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL SELECT 'policy ' || polname || polrelid::regclass || coalesce(pg_get_expr(polqual, polrelid), '-') FROM pg_policy
        UNION ALL SELECT 'constraint ' || conname || conrelid::regclass || pg_get_constraintdef(oid) FROM pg_constraint
            WHERE connamespace IN ('public'::regnamespace, 'auth'::regnamespace)
        UNION ALL SELECT 'trigger ' || tgname || pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
        UNION ALL SELECT 'function ' || p.oid::regprocedure || coalesce(proacl::text, '-') || prosrc FROM pg_proc AS p
            JOIN pg_namespace AS n ON n.oid = p.pronamespace WHERE n.nspname IN ('public', 'auth')
        """

    @Test func `the platform alone changes nothing there`() throws {
        let before = try inventory()
        try migrate(apps: [])
        #expect(before.subtracting(try inventory()).isEmpty)
        #expect(
            try query("SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'")
                == [["7"]]
        )
        try migrate(apps: [])
    }

    @Test(arguments: [[], ["check-ins"], ["gallery"]])
    func `a dump of what was there is the same, byte for byte`(apps: Set<String>) async throws {
        try execute("INSERT INTO users SELECT gen_random_uuid(), n || '@x.example' FROM generate_series(1, 20) AS n")
        let tables = try query(
            """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
            WHERE n.nspname IN ('public', 'auth') AND c.relkind IN ('r', 'v', 'S') ORDER BY 1
            """
        ).compactMap { $0[0] }
        let before = try await dump(tables)
        #expect(before.contains("COPY public.users"))
        try migrate(apps: apps)
        let after = try await dump(tables)
        let changes = after.split(separator: "\n").difference(from: before.split(separator: "\n"))
        #expect(changes.isEmpty, "\(changes)")
        #expect(before == after)
    }

    /// Tables with their rows, rights, keys, indexes, triggers and policies.
    private func dump(_ tables: [String]) async throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["pg_dump", "--dbname", url] + tables.flatMap { ["--table", $0] }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = await blocking {
            String(decoding: (try? pipe.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        }
        // Newer programs put a key of their own into each dump.
        return text.split(separator: "\n").filter { !$0.hasPrefix("\\restrict") && !$0.hasPrefix("\\unrestrict") }
            .joined(separator: "\n")
    }

    @Test(arguments: ["business", "device-logs"])
    func `an app whose names are taken is refused before anything is applied`(app: String) throws {
        let before = try inventory()
        #expect { try migrate(apps: [app]) } throws: { error in
            let text = "\(error)"
            let names = app == "business" ? ["users", "teams", "roles"] : ["devices"]
            return names.allSatisfy { text.contains($0) } && text.contains("APPS=none")
        }
        #expect(before.subtracting(try inventory()).isEmpty)
    }

    @Test(arguments: ["check-ins", "gallery"])
    func `an app with names of its own is served beside it`(app: String) throws {
        let before = try inventory()
        try migrate(apps: [app])
        #expect(before.subtracting(try inventory()).isEmpty)
    }

    @Test func `a table with the columns of an app is taken, and only gains columns`() throws {
        try execute(
            """
            DROP TABLE teams, roles, users CASCADE;
            CREATE TABLE roles (
                id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text, code text, role_type text, department text,
                secret text
            );
            ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
            CREATE POLICY owner_only ON roles USING (auth.uid() = id);
            """
        )
        let before = try inventory()
        try migrate(apps: ["business"])
        #expect(before.subtracting(try inventory()).isEmpty)
        #expect(try query("SELECT polname FROM pg_policy WHERE polrelid = 'roles'::regclass") == [["owner_only"]])
        #expect(
            try query("SELECT count(*) FROM pg_attribute WHERE attrelid = 'roles'::regclass AND attname = 'level'") == [
                ["1"]
            ]
        )
        #expect(try query("SELECT name FROM swiftlet.adopted_tables") == [["roles"]])
    }

    @Test func `nobody reads password hashes where every new table is granted to everybody`() throws {
        try execute("DROP TABLE teams, roles, users, messages CASCADE")
        try migrate(apps: ["business"])
        for role in ["anon", "authenticated"] {
            #expect(try query("SELECT has_column_privilege('\(role)', 'users', 'password_hash', 'SELECT')") == [["f"]])
        }
        #expect(try query("SELECT has_column_privilege('authenticated', 'users', 'email', 'SELECT')") == [["t"]])
    }

    private func migrate(apps: Set<String>) throws {
        let all = Set(try TestDatabase.files().filter { !$0.isPlatform }.map(\.owner))
        let folder = MigrationFolder(path: TestDatabase.migrations)
        let files = try TestDatabase.platformFiles() + folder.load(omitting: all.subtracting(apps))
        try Migrator(url: url, files: files).apply()
    }

    private func inventory() throws -> Set<String> { Set(try query(Self.inventory).compactMap { $0[0] }) }

    private func execute(_ sql: String) throws { try BlockingConnection.connect(to: url).execute(sql) }

    private func query(_ sql: String) throws -> [[String?]] { try BlockingConnection.connect(to: url).query(sql) }

    /// What `supabase start` and a tutorial leave behind.
    private static let project = """
        DO $$ BEGIN CREATE ROLE anon NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
        DO $$ BEGIN CREATE ROLE authenticated NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
        DO $$ BEGIN CREATE ROLE service_role NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
        GRANT USAGE ON SCHEMA public TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON TABLES TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON FUNCTIONS TO anon, authenticated, service_role;
        ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT ALL ON SEQUENCES TO anon, authenticated, service_role;
        CREATE TABLE profiles (id uuid PRIMARY KEY REFERENCES auth.users ON DELETE CASCADE, username text UNIQUE);
        ALTER TABLE profiles ENABLE ROW LEVEL SECURITY;
        CREATE POLICY "Public profiles are viewable by everyone." ON profiles FOR SELECT USING (true);
        CREATE FUNCTION handle_new_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN INSERT INTO public.profiles (id) VALUES (new.id); RETURN new; END $$;
        CREATE TRIGGER on_auth_user_created AFTER INSERT ON auth.users
            FOR EACH ROW EXECUTE FUNCTION handle_new_user();
        CREATE TABLE users (id uuid PRIMARY KEY, email text);
        CREATE TABLE teams (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner uuid REFERENCES users);
        CREATE TABLE roles (id serial PRIMARY KEY, user_id uuid REFERENCES users, role text NOT NULL);
        ALTER TABLE roles ENABLE ROW LEVEL SECURITY;
        CREATE POLICY "Owners see their roles" ON roles USING (auth.uid() = user_id);
        CREATE TABLE devices (id uuid PRIMARY KEY, user_id uuid, push_token text);
        CREATE TABLE messages (id bigserial PRIMARY KEY, body text, author uuid REFERENCES profiles);
        CREATE TABLE login_attempts (id serial PRIMARY KEY, email text NOT NULL);
        CREATE VIEW latest AS SELECT * FROM messages ORDER BY id DESC LIMIT 10;
        """
}
