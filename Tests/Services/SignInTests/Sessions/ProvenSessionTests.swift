import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// A password that is changed while somebody signs in with it.
@Suite(.needsDatabase, .hangLimit)
struct ProvenSessionTests {
    private func session(
        _ server: SignInServer,
        of answer: SignInServer.Answer,
        provenBy hash: String
    ) async throws -> OpenSession {
        let accounts = AccountStore(server.application.database)
        let id = try #require(answer["user"]?["id"]?.string)
        let client = ClientInfo(try Request(method: .post, target: "/"))
        return try await SessionStore(accounts, SignInSettings()).open(
            for: id,
            by: .password,
            client: client,
            ifPasswordHashIs: hash
        )
    }

    @Test(arguments: [true, false])
    func `begins no session by a password that was right a moment ago`(hasForeignKey: Bool) async throws {
        try await SignInServer.start(
            sql: hasForeignKey ? "" : "ALTER TABLE auth.refresh_tokens DROP CONSTRAINT refresh_tokens_session_id_fkey"
        ).use { server in
            let answer = try await server.signUp("ada@example.org")
            let old = try #require(try server.value("SELECT encrypted_password FROM auth.users"))
            _ = try await session(server, of: answer, provenBy: old)
            let body: JSONValue = ["password": "another horse"]
            #expect(try await server.auth(.put, "/user", body, token: answer.text("access_token")).status == 200)
            let counts =
                "SELECT (SELECT count(*) FROM auth.sessions) || ' ' || (SELECT count(*) FROM auth.refresh_tokens)"
            let before = try server.value(counts)
            await #expect(throws: SignInError.wrongCredentials) {
                _ = try await session(server, of: answer, provenBy: old)
            }
            #expect(try server.value(counts) == before)
        }
    }

    @Test(arguments: [("hash", SignInError.wrongCredentials), (nil, .userNotFound)] as [(String?, SignInError)])
    func `begins no session of an account that is deleted meanwhile`(hash: String?, expected: SignInError) async throws
    {
        try await SignInServer.start().use { server in
            let sessions = SessionStore(AccountStore(server.application.database), SignInSettings())
            let client = ClientInfo(try Request(method: .post, target: "/"))
            await #expect(throws: expected) {
                _ = try await sessions.open(for: RandomID.make(), by: .oauth, client: client, ifPasswordHashIs: hash)
            }
        }
    }

    @Test func `takes no other foreign key for a deleted account`() async throws {
        try await SignInServer.start().use { server in
            #expect(try await server.signUp("ada@example.org").status == 200)
            try server.application.execute(
                """
                CREATE TABLE plans (id integer PRIMARY KEY);
                CREATE TABLE profiles (id uuid, plan_id integer REFERENCES plans);
                CREATE FUNCTION add_profile() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO public.profiles VALUES (NEW.id, 7); RETURN NEW; END';
                CREATE TRIGGER add_profile AFTER INSERT OR UPDATE ON auth.users
                    FOR EACH ROW EXECUTE FUNCTION add_profile();
                """
            )
            let answers = [try await server.signUp("bob@example.org"), try await server.signIn("ada@example.org")]
            for answer in answers {
                #expect(answer.status == 500 && answer.code == "unexpected_failure", "\(answer.json)")
            }
        }
    }

    @Test func `waits for a change that is under way`() async throws {
        try await SignInServer.start().use { server in
            let answer = try await server.signUp("ada@example.org")
            let old = try #require(try server.value("SELECT encrypted_password FROM auth.users"))
            let changer = try BlockingConnection.connect(to: server.application.databaseURL)
            try changer.execute(
                "BEGIN; UPDATE auth.users SET encrypted_password = 'new'; DELETE FROM auth.sessions"
            )
            let attempt = Task { try await session(server, of: answer, provenBy: old) }
            try await Task.sleep(for: .milliseconds(200))
            try changer.execute("COMMIT")
            await #expect(throws: SignInError.wrongCredentials) { _ = try await attempt.value }
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
        }
    }

    /// A deletion that keeps the row has ended the sessions that it found: one that begins a moment later, by what was
    /// read before, would outlive it. A ban allows none to begin.
    @Test(arguments: ["banned_until = now() + interval '1 hour'", "deleted_at = now()"])
    func `begins no session of somebody who is shut out meanwhile`(change: String) async throws {
        try await SignInServer.start().use { server in
            let answer = try await server.signUp("ada@example.org")
            let hash = try #require(try server.value("SELECT encrypted_password FROM auth.users"))
            let administrator = try BlockingConnection.connect(to: server.application.databaseURL)
            try administrator.execute("BEGIN; UPDATE auth.users SET \(change); DELETE FROM auth.sessions")
            let attempt = Task { try await session(server, of: answer, provenBy: hash) }
            try await Task.sleep(for: .milliseconds(200))
            try administrator.execute("COMMIT")
            let refusal = await #expect(throws: SignInError.self) { _ = try await attempt.value }
            #expect(refusal?.code == "user_banned")
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
        }
    }

    @Test(arguments: [["password": "another horse"], ["email": "eve@example.org"], ["data": ["x": 1]]] as [JSONValue])
    func `changes nothing for a session that has ended meanwhile`(change: JSONValue) async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            let row = "SELECT encrypted_password || email || raw_user_meta_data::text FROM auth.users"
            let before = try server.value(row)
            let owner = try BlockingConnection.connect(to: server.application.databaseURL)
            try owner.execute("BEGIN; UPDATE auth.users SET updated_at = now(); DELETE FROM auth.sessions")
            let attempt = Task { try await server.auth(.put, "/user", change, token: token) }
            try await Task.sleep(for: .milliseconds(300))
            try owner.execute("COMMIT")
            let answer = try await attempt.value
            #expect(answer.status == 403, "\(answer.json)")
            #expect(answer.code == "session_not_found", "\(answer.json)")
            #expect(try server.value(row) == before)
        }
    }

    /// The other way round: the change waits for the sign-in, and ends its session.
    @Test func `leaves no session of the old password, however both meet`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            for round in 0..<8 {
                let password = round == 0 ? SignInServer.password : "horse number \(round - 1)"
                try await withThrowingTaskGroup { group in
                    for _ in 0..<4 { group.addTask { _ = try await server.signIn("ada@example.org", password) } }
                    group.addTask {
                        let body: JSONValue = ["password": .string("horse number \(round)")]
                        let changed = try await server.auth(.put, "/user", body, token: token)
                        #expect(changed.status == 200)
                    }
                    try await group.waitForAll()
                }
                #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
                try server.application.execute("DELETE FROM swiftlet.login_attempts")
            }
        }
    }
}
