import SwiftletAuth
import SwiftletPostgres
import SwiftletRest
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite(.needsDatabase, .hangLimit)
struct DoctorTests {
    private func examine(_ url: String) throws -> [Finding] {
        try AuthExamination.findings(BlockingConnection.connect(to: url))
    }

    @Test func `finds nothing to say about our own schema`() throws {
        let findings = try examine(TestDatabase.create())
        #expect(findings.map(\.grade) == [.good])
    }

    @Test func `asks for the migrations where there is no schema`() throws {
        let findings = try examine(TestDatabase.createEmpty())
        #expect(findings.map(\.grade) == [.fault])
        #expect(findings.first?.text.contains("swiftlet migrate") == true)
    }

    @Test func `names whose schema it is, and what an older one lacks`() throws {
        let newest = try examine(GoTrueDatabase.create(.newest).url)
        #expect(newest.map(\.grade) == [.good])
        #expect(newest.first?.text.contains("supabase_auth_admin's") == true)
        let older = try examine(GoTrueDatabase.create(.older).url)
        #expect(older.map(\.grade) == [.note, .good])
        for name in [
            "users.is_anonymous", "identities.provider_id", "sessions.refresh_token_counter", "one_time_tokens",
            "flow_state",
        ] {
            #expect(older.first?.text.contains(name) == true)
        }
    }

    @Test func `says what is open in tables that an app took as they were`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        #expect(try AdoptionExamination.findings(connection).isEmpty)
        try connection.execute(
            """
            CREATE TABLE public.found (id int); GRANT SELECT ON found TO anon;
            CREATE TABLE public.guarded (id int); ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
            INSERT INTO swiftlet.adopted_tables VALUES ('found', 'shop'), ('guarded', 'shop'), ('gone', 'shop');
            """
        )
        let findings = try AdoptionExamination.findings(connection)
        #expect(findings.map(\.grade) == [.note, .fault, .good])
        #expect(findings[0].text.contains("anon may use all its rows"))
        #expect(findings.map(\.subject) == ["table found", "table gone", "table guarded"])
    }

    @Test func `finds what storage lacks`() throws {
        let connection = try BlockingConnection.connect(to: TestDatabase.create())
        #expect(try FilesExamination(RestSettings()).findings(connection).map(\.grade) == [.good])
        var exposing = RestSettings()
        exposing.schemas = ["public", "storage"]
        #expect(try FilesExamination(exposing).findings(connection).map(\.grade) == [.note])
        try connection.execute("SET ROLE anon")
        let bound = try FilesExamination(nil).findings(connection)
        #expect(bound.map(\.grade) == [.fault])
        #expect(bound.first?.text.contains("BYPASSRLS") == true)
        let empty = try BlockingConnection.connect(to: TestDatabase.createEmpty())
        #expect(try FilesExamination(nil).findings(empty).first?.text.contains("swiftlet migrate") == true)
    }

    @Test func `finds row policies and missing grants`() throws {
        let database = try GoTrueDatabase.create(.newest)
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute("REVOKE INSERT ON auth.sessions FROM swiftlet_test_server")
        let closed = try examine(database.url)
        #expect(closed.map(\.grade) == [.fault])
        #expect(closed.first?.text.contains("auth.sessions") == true)
        #expect(closed.first?.text.contains("GRANT") == true)
        // Another role, without BYPASSRLS.
        try administrator.execute(
            """
            DO $$ BEGIN CREATE ROLE anon NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
            GRANT ALL ON ALL TABLES IN SCHEMA auth TO anon; GRANT USAGE ON SCHEMA auth TO anon; SET ROLE anon
            """
        )
        let bound = try AuthExamination.findings(administrator)
        #expect(bound.map(\.grade) == [.fault])
        #expect(bound.first?.text.contains("BYPASSRLS") == true)
        #expect(bound.first?.text.contains("auth.users") == true)
    }

    @Test func `finds closed tables that only some links need`() throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        try administrator.execute("REVOKE UPDATE ON auth.flow_state FROM swiftlet_test_server")
        let challenges = try examine(database.url)
        #expect(challenges.map(\.grade) == [.note, .good])
        #expect(challenges.first?.text.contains("GRANT ALL ON auth.flow_state") == true)
        try administrator.execute("REVOKE INSERT ON auth.one_time_tokens FROM swiftlet_test_server")
        let tokens = try examine(database.url)
        #expect(tokens.map(\.grade) == [.fault])
        #expect(tokens.first?.text.contains("auth.one_time_tokens") == true)
    }

    @Test func `finds a database that takes no changes`() throws {
        let url = try TestDatabase.create()
        let info = try #require(ConnectionInfo(url))
        let name = try #require(info["dbname"])
        try BlockingConnection.connect(to: url).execute(
            "ALTER DATABASE \"\(name)\" SET default_transaction_read_only = on"
        )
        let findings = DatabaseExamination(url, info, rest: nil).findings().filter { $0.subject == "writes" }
        #expect(findings.map(\.grade) == [.fault])
        #expect(findings.first?.text.contains("default_transaction_read_only") == true)
    }

    @Test func `says what of the REST API is missing, open or shut`() throws {
        let url = try TestDatabase.create()
        let connection = try BlockingConnection.connect(to: url)
        #expect(try RestExamination(RestSettings()).findings(connection).allSatisfy { $0.grade == .good })
        #expect(try RestExamination(nil).findings(connection).first?.text == "off (REST_SCHEMAS)")

        func own(_ change: String) throws {
            try connection.execute(
                """
                DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I \(change) ', session_user, current_database()); END $$
                """
            )
        }
        try own("SET pgrst.jwt_secret = ''x''")
        try own("SET pgrst.db_max_rows = ''5''")
        let strange = try RestExamination(RestSettings()).findings(connection).filter { $0.grade == .note }
        #expect(strange.count == 1)
        #expect(strange.first?.text.contains("pgrst.jwt_secret, which") == true)
        try own("RESET ALL")

        var settings = RestSettings()
        settings.schemas = ["nowhere"]
        let missing = try RestExamination(settings).findings(connection)
        #expect(missing.map(\.grade) == [.fault])
        #expect(missing[0].text.contains("nowhere"))

        try connection.execute(
            """
            CREATE TABLE open_to_all (id int); GRANT SELECT ON open_to_all TO anon;
            CREATE TABLE shut (id int); GRANT SELECT ON shut TO authenticated; ALTER TABLE shut ENABLE ROW LEVEL SECURITY;
            """
        )
        let notes = try RestExamination(RestSettings()).findings(connection).filter { $0.grade == .note }
        #expect(notes.count == 2)
        #expect(notes.first?.text.contains("open_to_all") == true)
        #expect(notes.last?.text.contains("shut") == true)
    }

    @Test func `reads the catalog of a database that is slow to connect to`() async throws {
        let url = try TestDatabase.create()
        let slow = "\(url)\(url.contains("?") ? "&" : "?")options=-c%20post_auth_delay%3D1"
        let schema = try await CommandDatabase.schema(Environment(["DATABASE_URL": slow]))
        #expect(schema.tables["tasks"] != nil)
    }

    @Test(arguments: [("1", "1 event loop"), ("2", "2 event loops")])
    func `counts event loops in words`(workers: String, words: String) async throws {
        let environment = Environment([
            "DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": String(repeating: "s", count: 32),
            "WORKERS": workers,
        ])
        #expect(await Doctor(environment).examine().first?.text == "complete; \(words)")
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775808", "-1"])
    func `refuses a number of connections that no machine has`(connections: String) async throws {
        let environment = Environment([
            "DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": String(repeating: "s", count: 32),
            "MAX_CONNECTIONS": connections,
        ])
        let finding = try #require(await Doctor(environment).examine().first)
        #expect(finding.grade == .fault)
        #expect(finding.text.contains("MAX_CONNECTIONS"))
    }

    @Test func `refuses a certificate that the server would refuse`() async throws {
        // Readable, and no certificate.
        let environment = Environment([
            "DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": String(repeating: "s", count: 32),
            "TLS_CERT_FILE": "/etc/passwd", "TLS_KEY_FILE": "/etc/passwd",
        ])
        let findings = await Doctor(environment).examine().filter { $0.subject == "TLS" }
        #expect(findings.map(\.grade) == [.fault])
        #expect(findings.first?.text.contains("TLS_CERT_FILE") == true)
    }

    /// Each way in which a provider says whose an address is.
    @Test(arguments: [
        ["APPLE_CLIENT_IDS": "com.example.app"], ["GOOGLE_CLIENT_IDS": "1.apps.googleusercontent.com"],
        ["EXTERNAL_GITHUB_ENABLED": "true", "EXTERNAL_GITHUB_CLIENT_ID": "app", "EXTERNAL_GITHUB_SECRET": "x"],
    ])
    func `fails a server with providers that confirms no addresses`(provider: [String: String]) throws {
        let mailer = [
            "SMTP_URL": "smtp://127.0.0.1:2525", "SMTP_ADMIN_EMAIL": "a@example.org", "SITE_URL": "https://example.org",
        ]
        func findings(_ settings: [String: String]...) throws -> [Finding] {
            var environment = [
                "DATABASE_URL": "postgresql://127.0.0.1:1/x", "JWT_SECRET": String(repeating: "s", count: 32),
                "API_EXTERNAL_URL": "https://api.example.org",
            ]
            for some in settings { environment.merge(some) { $1 } }
            return try ConfirmationExamination(Configuration(Environment(environment), mode: .serve)).findings
        }
        let found = try findings(provider)
        #expect(found.map(\.grade) == [.fault])
        #expect(try findings(provider, ["MAILER": "none", "MAILER_AUTOCONFIRM": "false"]) == found)
        #expect(found.first?.text.contains("SMTP_URL") == true)
        let unasked = try findings(provider, mailer, ["MAILER_AUTOCONFIRM": "true"])
        #expect(unasked.map(\.grade) == [.note])
        #expect(unasked.first?.text.contains("MAILER_AUTOCONFIRM") == true)
        #expect(try findings(provider, mailer).isEmpty)
        #expect(try findings().isEmpty)
    }

    @Test func `says which key never ends`() throws {
        let keys = try ServerKeys.make(now: 1_700_000_000)
        let endless = try TokenIssuer(secret: Secret(keys.secret)).issue(payload: Array(#"{"role":"anon"}"#.utf8))
        for (setting, grade) in [("off", Finding.Grade.note), ("on", .fault)] {
            let environment = Environment([
                "DATABASE_URL": "postgresql:///x", "JWT_SECRET": keys.secret, "SUPABASE_ANON_KEY": endless,
                "JWT_REQUIRE_EXP": setting,
            ])
            let tokens = try Configuration(environment, mode: .serve).tokens
            let findings = KeyExamination(tokens, environment).findings
            #expect(findings.map(\.grade) == [grade])
            #expect(findings.first?.text.contains("JWT_REQUIRE_EXP") == true)
        }
    }

    @Test func `says which key does not fit the secret, and why`() throws {
        let keys = try ServerKeys.make(now: 1_700_000_000)
        let others = try ServerKeys.make(now: 1_700_000_000)
        let expired = try ServerKeys.make(now: 1_000_000_000)
        func grades(_ secret: String, _ anonymous: String, _ service: String) throws -> [Finding] {
            let environment = Environment([
                "DATABASE_URL": "postgresql:///x", "JWT_SECRET": secret, "SUPABASE_ANON_KEY": anonymous,
                "SUPABASE_SERVICE_ROLE_KEY": service,
            ])
            let tokens = try Configuration(environment, mode: .serve).tokens
            let findings = KeyExamination(tokens, environment).findings
            #expect(!findings.contains { $0.text.contains(secret) || $0.text.contains(service) })
            return findings
        }
        #expect(try grades(keys.secret, keys.anonymousKey, keys.serviceKey).map(\.grade) == [.good, .good])
        #expect(try grades(keys.secret, "sb_publishable_abc", "sb_secret_abcdefghijkl").map(\.grade) == [.good, .good])
        let foreign = try grades(keys.secret, others.anonymousKey, keys.serviceKey)
        #expect(foreign.map(\.grade) == [.fault, .good])
        #expect(foreign[0].text.contains("SUPABASE_ANON_KEY"))
        #expect(foreign[0].text.contains("swiftlet keys"))
        let exchanged = try grades(keys.secret, keys.serviceKey, keys.anonymousKey)
        #expect(exchanged.map(\.grade) == [.fault, .fault])
        #expect(exchanged[0].text.contains("full access"))
        let old = try grades(expired.secret, expired.anonymousKey, expired.serviceKey)
        #expect(old.map(\.grade) == [.fault, .fault])
        #expect(old[0].text.contains("expired"))
    }
}
