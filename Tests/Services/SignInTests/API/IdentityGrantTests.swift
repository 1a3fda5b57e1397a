import SwiftletAuth
import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
final class IdentityGrantTests: Sendable {
    private static let issuer = TestIssuer(.p256, keyID: "apple-1")
    private let keys = "/tmp/swiftlet-jwks-\(UUID().uuidString.prefix(8)).json"

    init() throws { try Self.issuer.jwks.write(toFile: keys, atomically: true, encoding: .utf8) }

    deinit { try? FileManager.default.removeItem(atPath: keys) }

    private func start(_ change: (inout SignInSettings) -> Void = { _ in }) async throws -> SignInServer {
        try await SignInServer.start(
            providers: [.apple(clientIDs: ["com.example.app"], keys: .file(keys), TestHTTP.engine)],
            change
        )
    }

    private func signIn(
        _ server: SignInServer,
        subject: String,
        email: String?,
        isVerified: Bool = true,
        token: String? = nil,
        links: Bool = false,
        more: JSONObject = [:],
        address: String? = nil
    ) async throws -> SignInServer.Answer {
        let now = Int(Date().timeIntervalSince1970)
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": "com.example.app", "sub": .string(subject),
            "exp": .number(.init(now + 600)), "iat": .number(.init(now)), "email_verified": .bool(isVerified),
        ]
        if let email { claims["email"] = .string(email) }
        for (name, value) in more { claims[name] = value }
        let idToken = try Self.issuer.token(.object(claims))
        return try await server.auth(
            .post,
            "/token?grant_type=id_token",
            ["provider": "apple", "id_token": .string(idToken), "link_identity": .bool(links)],
            token: token,
            headers: address.map { [(Headers.Name("X-Forwarded-For"), $0)] } ?? []
        )
    }

    @Test func `makes an account, and finds it again by the provider's id`() async throws {
        try await start().use { server in
            let first = try await signIn(server, subject: "001.abc", email: "Ada@example.org")
            #expect(first.status == 200, "\(first.json)")
            #expect(first["user"]?["email"] == "ada@example.org")
            #expect(first["user"]?["app_metadata"] == ["provider": "apple", "providers": ["apple"]])
            #expect(first["user"]?["identities"]?[0]?["id"] == "001.abc")
            #expect(try server.claims(first.text("access_token"))["amr"]?[0]?["method"] == "oauth")
            // Apple leaves the address out later; a changed one does not matter.
            let second = try await signIn(server, subject: "001.abc", email: nil)
            #expect(second["user"]?["id"] == first["user"]?["id"])
            #expect(try server.value("SELECT encrypted_password = '' FROM auth.users") == "t")
            #expect(try await server.signIn("ada@example.org", "").code == "invalid_credentials")
        }
    }

    @Test func `makes an account without an address where the provider tells none, and finds it again`() async throws {
        try await start().use { server in
            let first = try await signIn(server, subject: "002.def", email: nil)
            #expect(first.status == 200, "\(first.json)")
            #expect(first["user"]?["email"] == "")
            #expect(first["user"]?["email_confirmed_at"] == nil)
            #expect(first["user"]?["is_anonymous"] == false)
            let second = try await signIn(server, subject: "002.def", email: nil)
            #expect(second["user"]?["id"] == first["user"]?["id"])
            let other = try await signIn(server, subject: "003.ghi", email: nil)
            #expect(other["user"]?["id"] != first["user"]?["id"], "\(other.json)")
            #expect(try await server.refresh(first.text("refresh_token")).status == 200)
        }
    }

    /// Without a mailer whoever types an address has an account with it, before its owner comes.
    @Test func `gives its owner an address that nobody was asked for, and an attacker nothing`() async throws {
        try await start().use { server in
            let attacker = try await server.signUp("ada@example.org")
            let owner = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(owner["user"]?["id"] == attacker["user"]?["id"])
            #expect(owner["user"]?["identities"]?.array?.count == 1)
            #expect(owner["user"]?["app_metadata"] == ["provider": "apple", "providers": ["apple"]])
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
            #expect(try await server.refresh(attacker.text("refresh_token")).status == 400)
            // Now a provider vouches for it.
            try server.application.execute("UPDATE auth.users SET encrypted_password = 'kept'")
            _ = try await signIn(server, subject: "002", email: "ada@example.org")
            #expect(try server.value("SELECT encrypted_password FROM auth.users") == "kept")
        }
    }

    @Test func `makes no account for an address that the provider does not vouch for`() async throws {
        try await start().use { server in
            let answer = try await signIn(server, subject: "666", email: "ada@example.org", isVerified: false)
            #expect(answer.status == 422)
            #expect(answer.code == "provider_email_needs_verification", "\(answer.json)")
            #expect(
                answer.text("msg")
                    == "Unverified email with apple. Verify the email with apple in order to sign in"
            )
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
        }
    }

    @Test func `links by a verified address, and by nothing less`() async throws {
        try await start { $0.confirmsAtOnce = false }.use { server in
            let own = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
            #expect(
                try await signIn(server, subject: "666", email: "ada@example.org", isVerified: false).code
                    == "provider_email_needs_verification"
            )
            let linked = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(linked["user"]?["id"] == own["id"])
            #expect(linked["user"]?["app_metadata"]?["providers"] == ["email", "apple"])
            #expect(linked["user"]?["identities"]?.array?.count == 2)

            // Somebody took the address before, and never proved to own it: its owner gets the account, they get nothing.
            let taken = try await server.admin(.post, "", ["email": "grace@example.org", "password": "attacker1"])
            let seized = try await signIn(server, subject: "002", email: "grace@example.org")
            #expect(seized.status == 200, "\(seized.json)")
            #expect(seized["user"]?["id"] == taken["id"])
            #expect(seized["user"]?["identities"]?.array?.count == 1)
            #expect(try await server.signIn("grace@example.org", "attacker1").code == "invalid_credentials")
        }
    }

    /// GoTrue makes such accounts.
    @Test func `opens an account with an unconfirmed address only once the provider vouches for it`() async throws {
        try await start { $0.confirmsAtOnce = false }.use { server in
            let first = try await signIn(server, subject: "001", email: "ada@example.org")
            let id = first["user"]?["id"]?.string ?? ""
            let hash = try PasswordHash.make(SignInServer.password, cost: 4)
            try server.application.execute(
                """
                UPDATE auth.users SET email_confirmed_at = NULL, encrypted_password = '\(hash)';
                INSERT INTO auth.identities (provider_id, user_id, identity_data, provider, created_at)
                VALUES ('\(id)', '\(id)', '{"sub": "\(id)", "email": "ada@example.org"}', 'email', now())
                """
            )
            for email in ["ada@example.org", "eve@example.org"] {
                let unproven = try await signIn(server, subject: "001", email: email, isVerified: false)
                #expect(unproven.code == "provider_email_needs_verification", "\(unproven.json)")
            }
            let other = try await signIn(server, subject: "001", email: "eve@example.org")
            #expect(other.code == "provider_email_needs_verification", "\(other.json)")
            let proven = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(proven["user"]?["id"]?.string == id, "\(proven.json)")
            let user = try await server.auth(.get, "/user", token: proven.text("access_token"))
            #expect(user["email_confirmed_at"] != nil)
            #expect(user["identities"]?.array?.map { $0["provider"] } == ["apple"])
            #expect(user["app_metadata"]?["providers"] == ["apple"])
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
        }
    }

    @Test func `opens an account whose number is confirmed, whatever its address`() async throws {
        try await start().use { server in
            let first = try await signIn(server, subject: "001", email: "ada@example.org")
            try server.application.execute(
                "UPDATE auth.users SET email_confirmed_at = NULL, phone = '4915112345678', phone_confirmed_at = now()"
            )
            let unproven = try await signIn(server, subject: "001", email: "ada@example.org", isVerified: false)
            #expect(unproven["user"]?["id"] == first["user"]?["id"], "\(unproven.json)")
            #expect(unproven["user"]?["email_confirmed_at"] == nil)
            let proven = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(
                try await server.auth(.get, "/user", token: proven.text("access_token"))["email_confirmed_at"] != nil
            )
            #expect(try await server.refresh(first.text("refresh_token")).status == 200)
        }
    }

    @Test func `joins the account that has the address by another provider`() async throws {
        try await start { $0.confirmsAtOnce = false }.use { server in
            let own = try await server.admin(
                .post,
                "",
                ["email": "ada@example.org", "email_confirm": true, "user_metadata": ["name": "Ada"]]
            )
            func remember(_ subject: String, _ data: String, at id: String) throws {
                try server.application.execute(
                    """
                    INSERT INTO auth.identities (provider_id, user_id, identity_data, provider, created_at)
                    VALUES ('\(subject)', '\(id)', '\(data)', 'google', now())
                    """
                )
            }
            try remember(
                "g1",
                #"{"sub": "g1", "email": "Ada@Work.example", "email_verified": false}"#,
                at: own.text("id")
            )
            let stranger = try await signIn(server, subject: "001", email: "ada@work.example")
            #expect(stranger["user"]?["id"] != own["id"], "nobody has vouched for that")
            _ = try await server.admin(.delete, "/\(stranger["user"]?["id"]?.string ?? "")")
            try server.application.execute(
                "UPDATE auth.identities SET identity_data = identity_data || '{\"email_verified\": true}'"
            )
            let joined = try await signIn(server, subject: "001", email: "ada@work.example")
            #expect(joined["user"]?["id"] == own["id"], "\(joined.json)")
            #expect(joined["user"]?["email"] == "ada@example.org")

            // Of two nobody knows which is meant.
            let other = try await server.admin(.post, "", ["email": "bob@example.org", "email_confirm": true])
            for (subject, id) in [("g2", own.text("id")), ("g3", other.text("id"))] {
                let data = #"{"sub": "\#(subject)", "email": "both@work.example", "email_verified": true}"#
                try remember(subject, data, at: id)
            }
            let third = try await signIn(server, subject: "002", email: "both@work.example")
            #expect(third["user"]?["email"] == "both@work.example", "\(third.json)")
        }
    }

    @Test func `leaves neither passkey nor factor to who took an address`() async throws {
        try await start { PasskeyClient.enable(&$0) }.use { server in
            let attacker = try await PasskeyClient(server)
            let authenticator = try await attacker.authenticator()
            #expect(try await server.signIn(by: authenticator).status == 200)
            var factor = FactorClient(server, try await server.signIn("ada@example.org"))
            _ = try await factor.raise()
            let seized = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(seized["user"]?["id"]?.string == attacker.userID)
            #expect(seized["user"]?["factors"] == nil)
            #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
        }
    }

    @Test func `seizes an address whose account has a confirmed number only`() async throws {
        try await start().use { server in
            let fields: JSONValue = [
                "email": "ada@example.org", "password": "attacker1", "phone": "4915112345678", "phone_confirm": true,
            ]
            let taken = try await server.admin(.post, "", fields)
            try server.application.execute("UPDATE auth.users SET email_change = 'attacker@example.org'")
            let seized = try await signIn(server, subject: "001", email: "ada@example.org")
            #expect(seized["user"]?["id"] == taken["id"], "\(seized.json)")
            #expect(seized["user"]?["email_confirmed_at"] != nil)
            #expect(seized["user"]?["new_email"] == nil)
            #expect(try await server.signIn("ada@example.org", "attacker1").code == "invalid_credentials")
            // A text to it would open the account.
            let numbers = try server.value(
                "SELECT concat_ws(' ', phone, phone_confirmed_at, phone_change) FROM auth.users"
            )
            #expect(numbers == "")
        }
    }

    @Test func `takes nothing from who is signed in by a number and links an identity`() async throws {
        try await start { $0.allowsAnonymousUsers = true }.use { server in
            let guest = try await server.auth(.post, "/signup", [:])
            let token = guest.text("access_token")
            try server.application.execute(
                "UPDATE auth.users SET is_anonymous = false, phone = '4915112345678', phone_confirmed_at = now()"
            )
            let linked = try await signIn(server, subject: "001", email: "ada@example.org", token: token, links: true)
            #expect(linked["user"]?["id"] == guest["user"]?["id"], "\(linked.json)")
            #expect(linked["user"]?["phone"] == "4915112345678")
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
        }
    }

    @Test func `blames no address for what a trigger violates`() async throws {
        try await start().use { server in
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
                let answer = try await signIn(server, subject: email, email: email)
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

    @Test func `links to who is signed in already, once`() async throws {
        try await start { $0.allowsAnonymousUsers = true }.use { server in
            let guest = try await server.auth(.post, "/signup", [:])
            let token = guest.text("access_token")
            let linked = try await signIn(server, subject: "001", email: "ada@example.org", token: token, links: true)
            #expect(linked.status == 200, "\(linked.json)")
            #expect(linked["user"]?["id"] == guest["user"]?["id"])
            #expect(linked["user"]?["is_anonymous"] == false)
            #expect(linked["user"]?["email"] == "ada@example.org")
            #expect(linked["user"]?["email_confirmed_at"] != nil)
            #expect(linked["user"]?["app_metadata"] == ["provider": "apple", "providers": ["apple"]])
            #expect(try await server.signUp("ada@example.org").code == "user_already_exists")
            // As in GoTrue: who links an identity has not asked for its name.
            let named = try await server.signUp("alan@example.org", data: ["name": "Alan"]).text("access_token")
            let more: JSONObject = ["name": "alan77", "picture": "https://p.example/a.png"]
            let kept = try await signIn(
                server,
                subject: "003",
                email: "alan@work.example",
                token: named,
                links: true,
                more: more
            )
            #expect(kept["user"]?["user_metadata"]?["name"] == "Alan", "\(kept.json)")
            #expect(kept["user"]?["user_metadata"]?["picture"] == nil)
            #expect(kept["user"]?["identities"]?[1]?["identity_data"]?["name"] == "alan77")
            let other = try await server.signUp("grace@example.org").text("access_token")
            let stolen = try await signIn(server, subject: "001", email: "ada@example.org", token: other, links: true)
            #expect(stolen.code == "identity_already_exists")
        }
    }

    @Test func `links an identity without its address when that is unverified, and not at all when it is taken`()
        async throws
    {
        try await start { $0.allowsAnonymousUsers = true }.use { server in
            let token = try await server.auth(.post, "/signup", [:]).text("access_token")
            func link(_ subject: String, _ email: String, isVerified: Bool = true) async throws -> SignInServer.Answer {
                try await signIn(
                    server,
                    subject: subject,
                    email: email,
                    isVerified: isVerified,
                    token: token,
                    links: true
                )
            }
            _ = try await server.signUp("ada@example.org")
            let hash = try PasswordHash.make(SignInServer.password, cost: 4)
            try server.application.execute(
                "INSERT INTO users (id, tenant_id, email, password_hash) "
                    + "VALUES ('b0000000-0000-4000-8000-000000000001', 'acme', 'bob@example.org', '\(hash)')"
            )
            for email in ["ada@example.org", "bob@example.org"] {
                let taken = try await link("001", email)
                #expect(taken.status == 422, "\(taken.json)")
                #expect(taken.code == "email_exists", "\(taken.json)")
            }
            let linked = try await link("002", "eve@example.org", isVerified: false)
            #expect(linked["user"]?["email"] == "", "\(linked.json)")
            #expect(linked["user"]?["is_anonymous"] == false, "\(linked.json)")
        }
    }

    @Test func `takes no claims that a token could not carry`() async throws {
        try await start().use { server in
            let long = JSONValue.string(String(repeating: "x", count: 2040))
            let more: JSONObject = ["name": long, "picture": long, "given_name": long, "family_name": long]
            for subject in ["001", "001"] {
                let session = try await signIn(server, subject: subject, email: "ada@example.org", more: more)
                #expect(session.status == 200, "\(session.json)")
                let user = try await server.auth(.get, "/user", token: session.text("access_token"))
                #expect(user.status == 200, "\(user.json)")
                #expect(user["email"] == "ada@example.org", "\(user.json)")
            }
            _ = try await server.signUp("grace@example.org")
            let linked = try await signIn(server, subject: "002", email: "grace@example.org", more: more)
            #expect(try await server.auth(.get, "/user", token: linked.text("access_token")).status == 200)
        }
    }

    @Test func `counts first sign-ins as sign-ups`() async throws {
        try await start().use { server in
            func signIn(_ number: Int) async throws -> SignInServer.Answer {
                let email = "user-\(number)@example.org"
                return try await self.signIn(server, subject: "\(number)", email: email, address: "203.0.113.7")
            }
            for number in 0..<30 { #expect(try await signIn(number).status == 200, "\(number)") }
            let refused = try await signIn(30)
            #expect(refused.status == 429, "\(refused.json)")
            #expect(refused.code == "over_request_rate_limit", "\(refused.json)")
            #expect(try await signIn(0).status == 200)
        }
    }

    @Test func `keeps a provider that is linked at the same moment`() async throws {
        try await start { $0.confirmsAtOnce = false }.use { server in
            _ = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
            let other = try BlockingConnection.connect(to: server.application.databaseURL)
            try other.execute(
                """
                BEGIN;
                UPDATE auth.users SET raw_app_meta_data = raw_app_meta_data || '{"providers": ["email", "google"]}';
                INSERT INTO auth.identities (provider_id, user_id, identity_data, provider, created_at)
                SELECT 'g1', id, '{"sub": "g1"}', 'google', now() FROM auth.users;
                """
            )
            let linking = Task { try await signIn(server, subject: "001", email: "ada@example.org") }
            try await server.waitForLock()
            try other.execute("COMMIT")
            #expect(try await linking.value["user"]?["app_metadata"]?["providers"] == ["email", "google", "apple"])
        }
    }

    @Test func `names the address that somebody takes at the same moment`() async throws {
        try await start().use { server in
            let other = try BlockingConnection.connect(to: server.application.databaseURL)
            try other.execute(
                """
                BEGIN;
                INSERT INTO auth.users (instance_id, id, email)
                VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'ada@example.org');
                """
            )
            let signingIn = Task { try await signIn(server, subject: "001", email: "ada@example.org") }
            try await server.waitForLock()
            try other.execute("COMMIT")
            let answer = try await signingIn.value
            #expect(answer.status == 422, "\(answer.json)")
            #expect(answer.code == "email_exists", "\(answer.json)")
        }
    }

    @Test func `makes one account of two first sign-ins at once`() async throws {
        try await start().use { server in
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask { try await self.signIn(server, subject: "001", email: "ada@example.org") }
                }
                return try await group.reduce(into: [SignInServer.Answer]()) { $0.append($1) }
            }
            #expect(answers.map(\.status) == [200, 200, 200, 200])
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
            try await start { $0.isSignUpDisabled = true }.use { (closed) async throws in
                #expect(try await signIn(closed, subject: "001", email: "ada@example.org").code == "signup_disabled")
            }
        }
    }
}
