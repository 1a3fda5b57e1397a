import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit) struct IdentityGrantTests {
    private let apple: AppleSignIn

    init() throws { apple = try AppleSignIn() }

    @Test func `makes an account, and finds it again by the provider's id`() async throws {
        try await apple.start().use { server in
            let first = try await apple.signIn(server, subject: "001.abc", email: "Ada@example.org")
            #expect(first.status == 200, "\(first.json)")
            #expect(first["user"]?["email"] == "ada@example.org")
            #expect(first["user"]?["app_metadata"] == ["provider": "apple", "providers": ["apple"]])
            #expect(first["user"]?["identities"]?[0]?["id"] == "001.abc")
            #expect(try server.claims(first.text("access_token"))["amr"]?[0]?["method"] == "oauth")
            // Apple leaves the address out later; a changed one does not matter.
            let second = try await apple.signIn(server, subject: "001.abc", email: nil)
            #expect(second["user"]?["id"] == first["user"]?["id"])
            #expect(try server.value("SELECT encrypted_password = '' FROM auth.users") == "t")
            #expect(try await server.signIn("ada@example.org", "").code == "invalid_credentials")
        }
    }

    @Test func `makes an account without an address where the provider tells none, and finds it again`() async throws {
        try await apple.start().use { server in
            let first = try await apple.signIn(server, subject: "002.def", email: nil)
            #expect(first.status == 200, "\(first.json)")
            #expect(first["user"]?["email"] == "")
            #expect(first["user"]?["email_confirmed_at"] == nil)
            #expect(first["user"]?["is_anonymous"] == false)
            let second = try await apple.signIn(server, subject: "002.def", email: nil)
            #expect(second["user"]?["id"] == first["user"]?["id"])
            let other = try await apple.signIn(server, subject: "003.ghi", email: nil)
            #expect(other["user"]?["id"] != first["user"]?["id"], "\(other.json)")
            #expect(try await server.refresh(first.text("refresh_token")).status == 200)
        }
    }

    /// Without a mailer whoever types an address has an account with it, before its owner comes.
    @Test func `gives its owner an address that nobody was asked for, and an attacker nothing`() async throws {
        try await apple.start().use { server in
            let attacker = try await server.signUp("ada@example.org")
            let owner = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            #expect(owner["user"]?["id"] == attacker["user"]?["id"])
            #expect(owner["user"]?["identities"]?.array?.count == 1)
            #expect(owner["user"]?["app_metadata"] == ["provider": "apple", "providers": ["apple"]])
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
            #expect(try await server.refresh(attacker.text("refresh_token")).status == 400)
            // Now a provider vouches for it.
            try server.application.execute("UPDATE auth.users SET encrypted_password = 'kept'")
            _ = try await apple.signIn(server, subject: "002", email: "ada@example.org")
            #expect(try server.value("SELECT encrypted_password FROM auth.users") == "kept")
        }
    }

    @Test func `makes no account for an address that the provider does not vouch for`() async throws {
        try await apple.start().use { server in
            let answer = try await apple.signIn(server, subject: "666", email: "ada@example.org", isVerified: false)
            #expect(answer.status == 422)
            #expect(answer.code == "provider_email_needs_verification", "\(answer.json)")
            #expect(
                answer.text("msg")
                    == "Unverified email with apple. Verify the email with apple in order to sign in"
            )
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }

    @Test func `blames no address for what a trigger violates`() async throws {
        try await apple.start().use { server in
            _ = try await server.signUp("grace@example.org")
            try server.application.execute(
                """
                CREATE TABLE profiles (name text UNIQUE);
                INSERT INTO profiles VALUES ('somebody');
                CREATE FUNCTION add_profile() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO public.profiles VALUES (''somebody''); RETURN NEW; END';
                CREATE TRIGGER add_profile AFTER INSERT OR UPDATE ON auth.users
                    FOR EACH ROW EXECUTE FUNCTION add_profile();
                """
            )
            for email in ["ada@example.org", "grace@example.org"] {
                let answer = try await apple.signIn(server, subject: email, email: email)
                #expect(answer.status == 500, "\(answer.json)")
                #expect(answer["code"] == "23505", "\(answer.json)")
            }
            // The app's own people, by a name of theirs, are no accounts.
            try server.application.execute(
                "DROP TRIGGER add_profile ON auth.users; ALTER TABLE profiles RENAME TO identities"
            )
            try server.application.execute(
                """
                CREATE OR REPLACE FUNCTION add_profile() RETURNS trigger LANGUAGE plpgsql AS
                    'BEGIN INSERT INTO public.identities VALUES (''somebody''); RETURN NEW; END';
                CREATE TRIGGER add_profile AFTER INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION add_profile();
                """
            )
            let signUp = try await server.signUp("alan@example.org")
            #expect(signUp.status == 500, "\(signUp.json)")
            #expect(signUp.code == "unexpected_failure", "\(signUp.json)")
        }
    }

    @Test func `takes no claims that a token could not carry`() async throws {
        try await apple.start().use { server in
            let long = JSONValue.string(String(repeating: "x", count: 2040))
            let more: JSONObject = ["name": long, "picture": long, "given_name": long, "family_name": long]
            for subject in ["001", "001"] {
                let session = try await apple.signIn(server, subject: subject, email: "ada@example.org", more: more)
                #expect(session.status == 200, "\(session.json)")
                let user = try await server.auth(.get, "/user", token: session.text("access_token"))
                #expect(user.status == 200, "\(user.json)")
                #expect(user["email"] == "ada@example.org", "\(user.json)")
            }
            _ = try await server.signUp("grace@example.org")
            let linked = try await apple.signIn(server, subject: "002", email: "grace@example.org", more: more)
            #expect(try await server.auth(.get, "/user", token: linked.text("access_token")).status == 200)
        }
    }

    @Test func `counts first sign-ins as sign-ups`() async throws {
        try await apple.start().use { server in
            func signIn(_ number: Int) async throws -> SignInServer.Answer {
                let email = "user-\(number)@example.org"
                return try await apple.signIn(server, subject: "\(number)", email: email, address: "203.0.113.7")
            }
            for number in 0..<30 { #expect(try await signIn(number).status == 200, "\(number)") }
            let refused = try await signIn(30)
            #expect(refused.status == 429, "\(refused.json)")
            #expect(refused.code == "over_request_rate_limit", "\(refused.json)")
            #expect(try await signIn(0).status == 200)
        }
    }

    @Test func `names the address that somebody takes at the same moment`() async throws {
        try await apple.start().use { server in
            let other = try BlockingConnection.connect(to: server.application.databaseURL)
            try other.execute(
                """
                BEGIN;
                INSERT INTO auth.users (instance_id, id, email)
                VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'ada@example.org');
                """
            )
            let signingIn = Task { try await apple.signIn(server, subject: "001", email: "ada@example.org") }
            try await server.waitForLock()
            try other.execute("COMMIT")
            let answer = try await signingIn.value
            #expect(answer.status == 422, "\(answer.json)")
            #expect(answer.code == "email_exists", "\(answer.json)")
        }
    }

    @Test func `makes one account of two first sign-ins at once`() async throws {
        try await apple.start().use { server in
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { try await self.apple.signIn(server, subject: "001", email: "ada@example.org") }
                }
                return try await group.reduce(into: [SignInServer.Answer]()) { $0.append($1) }
            }
            #expect(answers.map(\.status) == [200, 200, 200, 200])
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
            try await apple.start { $0.isSignUpDisabled = true }.use { (closed) async throws in
                #expect(
                    try await apple.signIn(closed, subject: "001", email: "ada@example.org").code == "signup_disabled"
                )
            }
        }
    }
}
