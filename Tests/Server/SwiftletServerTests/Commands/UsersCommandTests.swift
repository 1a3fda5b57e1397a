import SwiftletAuth
import Foundation
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `swiftlet users` from outside, on databases of our own making and of GoTrue's.
@Suite(.needsDatabase, .hangLimit)
final class UsersCommandTests {
    enum Origin: CaseIterable { case own, olderGoTrue, newestGoTrue }

    private let folder: String

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private static func database(_ origin: Origin) throws -> (url: String, administrator: String) {
        let url = try TestDatabase.create()
        if origin == .own { return (url, url) }
        let database = try GoTrueDatabase.create(origin == .olderGoTrue ? .older : .newest)
        try database.migrate()
        return (database.url, database.administratorURL)
    }

    private func users(
        _ arguments: [String],
        _ url: String,
        input: String? = nil
    ) async throws
        -> (status: Int32, output: String, errors: String)
    {
        let environment = ["DATABASE_URL": url, "BCRYPT_COST": "4"]
        return try await SwiftletProcess.run(["users"] + arguments, in: folder, environment, input: input)
    }

    private static let roles = """
        INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme');
        INSERT INTO roles (id, name, code, department, level) VALUES ('r7', 'Admin', 'COMPANY_ADMIN', 'all', 7);
        """

    /// The platform alone, and an app that keeps something else under the names of our people and roles.
    @Test(arguments: [
        "", "CREATE TABLE users (id uuid PRIMARY KEY, nick text); CREATE TABLE roles (id bigint, title text);",
    ])
    func `needs no table of an app`(tables: String) async throws {
        let url = try TestDatabase.createEmpty()
        let settings = ["DATABASE_URL": url, "APPS": "none"]
        #expect(try await SwiftletProcess.run(["migrate"], in: folder, settings).status == 0)
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(tables)
        let added = try await users(
            ["add", "ada@acme.example", "--tenant", "acme", "--role-level", "7"],
            url,
            input: "password one\n"
        )
        #expect(added.status == 0, "\(added.errors)")
        let metadata = try connection.query(
            "SELECT raw_app_meta_data ->> 'tenant_id', raw_app_meta_data ->> 'role_level' FROM auth.users"
        )
        #expect(metadata == [["acme", "7"]])
        #expect(try await users(["list"], url).output.contains("ada@acme.example  active  acme    7"))
        #expect(try await users(["list", "--tenant", "acme"], url).output.contains("ada@acme.example"))
        #expect(try await users(["show", "ada@acme.example"], url).output.contains("sign-in by email"))

        try connection.execute("INSERT INTO auth.sessions (id, user_id) SELECT gen_random_uuid(), id FROM auth.users")
        #expect(try await users(["sign-out", "ada@acme.example"], url).output.contains("there was one session"))
        #expect(try connection.query("SELECT count(*) FROM auth.sessions") == [["0"]])
        #expect(try connection.query("SELECT count(*) FROM swiftlet.ended_tokens") == [["1"]])
        #expect(try await users(["sign-out", "ada@acme.example"], url).output.contains("has no session"))
        for command in ["disable", "enable"] {
            #expect(try await users([command, "ada@acme.example"], url).status == 0)
        }

        let more = ["add", "bea@acme.example", "--tenant", "acme"]
        let withRole = try await users(more + ["--role", "ADMIN"], url, input: "password one\n")
        #expect(withRole.errors.contains("no table roles: give --role-level"))
        let withTenant = try await users(more + ["--create-tenant"], url, input: "password one\n")
        #expect(withTenant.errors.contains("no table tenants"))
    }

    @Test(arguments: Origin.allCases)
    func `adds somebody who can sign in, with rights in both spellings`(origin: Origin) async throws {
        let (url, administrator) = try Self.database(origin)
        let connection = try BlockingConnection.connect(to: administrator)
        try connection.execute(Self.roles)
        let result = try await users(
            ["add", "Ada@Acme.Example", "--tenant", "acme", "--role", "company_admin", "--first-name", "Ada"],
            url,
            input: "pässwörd one\n"
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("ada@acme.example can sign in"))
        let account = try #require(
            connection.query(
                """
                SELECT id, encrypted_password, raw_app_meta_data, raw_user_meta_data, email_confirmed_at IS NOT NULL,
                    confirmation_token || recovery_token || email_change || email_change_token_new, aud, role
                FROM auth.users WHERE email = 'ada@acme.example'
                """
            ).first
        )
        #expect(PasswordHash.isValid("pässwörd one", for: account[1] ?? ""))
        let metadata = try JSONParser.parse(Array((account[2] ?? "").utf8))
        for (name, value) in [("tenant_id", "acme"), ("tenantId", "acme"), ("role_id", "r7"), ("roleId", "r7")] {
            #expect(metadata[name]?.string == value)
        }
        #expect(metadata["role_level"]?.int == 7)
        #expect(metadata["roleLevel"]?.int == 7)
        #expect(metadata["is_platform_user"]?.bool == false)
        #expect(metadata["isPlatformUser"]?.bool == false)
        #expect(metadata["provider"]?.string == "email")
        #expect(account[3] == #"{"firstName": "Ada"}"#)
        #expect(Array(account[4...]) == ["t", "", "authenticated", "authenticated"])
        let person = try connection.query(
            "SELECT id, tenant_id, email, role_id, first_name, is_active FROM public.users"
        )
        #expect(person == [[account[0], "acme", "ada@acme.example", "r7", "Ada", "t"]])
        let column = origin == .olderGoTrue ? "id" : "provider_id"
        let identity = try connection.query(
            "SELECT \(column), provider, identity_data ->> 'sub' FROM auth.identities WHERE user_id = $1::uuid",
            [account[0]]
        )
        #expect(identity == [[account[0], "email", account[0]]])
        let again = try await users(["add", "ada@acme.example"], url, input: "password two\n")
        #expect(again.status == 1)
        #expect(again.errors.contains("set-password"))
    }

    @Test(arguments: Origin.allCases)
    func `lists, changes passwords, disables and enables`(origin: Origin) async throws {
        let (url, administrator) = try Self.database(origin)
        let connection = try BlockingConnection.connect(to: administrator)
        try connection.execute(Self.roles)
        let added = try await users(["add", "ada@acme.example", "--tenant", "acme"], url, input: "password one")
        #expect(added.status == 0, "\(added.errors)")
        let id = try #require(
            connection.query("SELECT id FROM auth.users WHERE email = 'ada@acme.example'").first?.first ?? nil
        )
        func begin() throws {
            try connection.execute(
                """
                INSERT INTO auth.sessions (id, user_id) VALUES (gen_random_uuid(), '\(id)');
                INSERT INTO auth.refresh_tokens (token, user_id, revoked) VALUES ('t', '\(id)', false);
                INSERT INTO swiftlet.login_attempts (subject) VALUES ('account ada@acme.example'), ('account bob@acme.example')
                ON CONFLICT DO NOTHING;
                """
            )
        }
        func sessions() throws -> String? {
            try connection.query(
                """
                SELECT (SELECT count(*) FROM auth.sessions WHERE user_id = $1::uuid)
                    + (SELECT count(*) FROM auth.refresh_tokens WHERE user_id = $1::text)
                """,
                [id]
            ).first?.first ?? nil
        }
        try begin()
        try connection.execute(
            """
            UPDATE auth.users SET recovery_token = 'letter', email_change = 'eve@evil.example',
                email_change_token_new = 'letter' WHERE id = '\(id)'
            """
        )
        let hasCodes = try connection.query("SELECT to_regclass('auth.flow_state') IS NOT NULL") == [["t"]]
        if hasCodes {
            try connection.execute(
                """
                INSERT INTO auth.flow_state (
                    id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, authentication_method
                ) VALUES (gen_random_uuid(), '\(id)', 'code', 's256', 'challenge', 'email', 'recovery')
                """
            )
        }
        let changed = try await users(["set-password", "ADA@acme.example"], url, input: "password two\nrest\n")
        #expect(changed.status == 0, "\(changed.errors)")
        let hash = try connection.query("SELECT encrypted_password FROM auth.users WHERE id = $1::uuid", [id])
        #expect(PasswordHash.isValid("password two", for: hash.first?.first?.map { $0 } ?? ""))
        #expect(try sessions() == "0")
        let letters = "recovery_token || email_change || email_change_token_new"
        #expect(try connection.query("SELECT \(letters) FROM auth.users WHERE id = $1::uuid", [id]) == [[""]])
        if hasCodes { #expect(try connection.query("SELECT FROM auth.flow_state").isEmpty) }
        #expect(try connection.query("SELECT subject FROM swiftlet.login_attempts") == [["account bob@acme.example"]])
        #expect(
            try connection.query("SELECT count(*) FROM auth.sessions WHERE user_id <> $1::uuid", [id])
                == [[origin == .own ? "0" : "1"]]
        )

        try begin()
        #expect(try await users(["disable", "ada@acme.example"], url).status == 0)
        let banned =
            "SELECT banned_until > now() + interval '99 years' FROM auth.users WHERE email = 'ada@acme.example'"
        #expect(try connection.query(banned) == [["t"]])
        #expect(try connection.query("SELECT is_active FROM public.users") == [["f"]])
        #expect(try sessions() == "0")
        let list = try await users(["list", "--tenant", "acme"], url).output.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.last?.contains("ada@acme.example  disabled  acme") == true)
        #expect(list.last?.contains(id) == true)
        #expect(try await users(["enable", "ada@acme.example"], url).status == 0)
        #expect(try connection.query(banned) == [[nil]])
        let all = try await users(["list"], url).output
        #expect(all.contains("ada@acme.example"))
        #expect(all.contains("active"))
        #expect(all.contains(GoTrueDatabase.email) == (origin != .own))
        for command in ["set-password", "disable", "enable"] {
            let unknown = try await users([command, "nobody@acme.example"], url, input: "password three")
            #expect(unknown.status == 1)
            #expect(unknown.errors.contains("swiftlet users add"))
        }
    }

    @Test func `gives an account to a person who is there, under the person's id`() async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(
            """
            \(Self.roles)
            INSERT INTO users (id, tenant_id, email, role_id, last_name, is_active) VALUES
                ('\(GoTrueDatabase.userID)', 'acme', 'Ada@acme.example', 'r7', 'Lovelace', false),
                ('employee-17', 'acme', 'bob@acme.example', NULL, 'Babbage', true);
            """
        )
        for (email, level) in [("ada@acme.example", "7"), ("bob@acme.example", nil)] {
            let result = try await users(["add", email, "--first-name", "First"], url, input: "password one\n")
            #expect(result.status == 0, "\(result.errors)")
            let rights = try connection.query(
                "SELECT raw_app_meta_data ->> 'tenantId', raw_app_meta_data ->> 'roleLevel' FROM auth.users WHERE email = $1",
                [email]
            )
            #expect(rights == [["acme", level]])
        }
        #expect(
            try connection.query("SELECT id, first_name, last_name, role_id, is_active FROM users ORDER BY id") == [
                [GoTrueDatabase.userID, "First", "Lovelace", "r7", "t"], ["employee-17", "First", "Babbage", nil, "t"],
            ]
        )
        let ids = try connection.query("SELECT id::text = '\(GoTrueDatabase.userID)' FROM auth.users ORDER BY email")
        #expect(ids == [["t"], ["f"]])
    }

    @Test(arguments: Origin.allCases)
    func `gives a role level that still counts at sign-in`(origin: Origin) async throws {
        let (url, administrator) = try Self.database(origin)
        let connection = try BlockingConnection.connect(to: administrator)
        try connection.execute(Self.roles)
        for email in ["ada@acme.example", "bob@acme.example"] {
            let arguments = ["add", email, "--tenant", "acme", "--role-level", "4"]
            let result = try await users(arguments, url, input: "password 1")
            #expect(result.status == 0, "\(result.errors)")
        }
        // The levels that tokens get are those of these rows.
        let levels = try connection.query(
            "SELECT DISTINCT r.id, r.level FROM public.users u JOIN public.roles r ON r.id::text = u.role_id::text"
        )
        #expect(levels.count == 1 && levels.first?[1] == "4")
    }

    @Test func `refuses what would not work, and leaves nothing behind`() async throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(Self.roles)
        for (arguments, input, text) in [
            (["a@b.example", "--tenant", "other"], "password", "there is no tenant other; there are: acme"),
            (["a@b.example", "--tenant", "acme", "--role", "KING"], "password", "there are: COMPANY_ADMIN"),
            (["a@b.example"], "short", "at least 6 bytes"), (["a@b.example"], "", "standard input is empty"),
            (["a@b.example"], String(repeating: "x", count: 73), "at most 72"),
        ] {
            let result = try await users(["add"] + arguments, url, input: input)
            #expect(result.status == 1)
            #expect(result.errors.contains(text), "\(result.errors)")
        }
        #expect(try connection.query("SELECT 1 FROM auth.users UNION ALL SELECT 1 FROM users") == [])
        let made = try await users(
            ["add", "a@b.example", "--tenant", "new", "--create-tenant"],
            url,
            input: "password"
        )
        #expect(made.status == 0, "\(made.errors)")
        #expect(try connection.query("SELECT name FROM tenants WHERE id = 'new'") == [["new"]])
        let empty = try TestDatabase.createEmpty()
        #expect(try await users(["list"], empty).errors.contains("swiftlet migrate"))
    }
}
