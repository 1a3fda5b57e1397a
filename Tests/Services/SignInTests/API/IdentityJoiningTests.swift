import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Which account an identity of a provider is joined with.
@Suite(.needsDatabase, .hangLimit) struct IdentityJoiningTests {
    private let apple: AppleSignIn

    init() throws { apple = try AppleSignIn() }

    @Test func `links by a verified address, and by nothing less`() async throws {
        try await apple.start { $0.confirmsAtOnce = false }.use { server in
            let own = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
            #expect(
                try await apple.signIn(server, subject: "666", email: "ada@example.org", isVerified: false).code
                    == "provider_email_needs_verification"
            )
            let linked = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            #expect(linked["user"]?["id"] == own["id"])
            #expect(linked["user"]?["app_metadata"]?["providers"] == ["email", "apple"])
            #expect(linked["user"]?["identities"]?.array?.count == 2)

            // Somebody took the address before, and never proved to own it: its owner gets the account, they get nothing.
            let taken = try await server.admin(.post, "", ["email": "grace@example.org", "password": "attacker1"])
            let seized = try await apple.signIn(server, subject: "002", email: "grace@example.org")
            #expect(seized.status == 200, "\(seized.json)")
            #expect(seized["user"]?["id"] == taken["id"])
            #expect(seized["user"]?["identities"]?.array?.count == 1)
            #expect(try await server.signIn("grace@example.org", "attacker1").code == "invalid_credentials")
        }
    }

    /// GoTrue makes such accounts.
    @Test func `opens an account with an unconfirmed address only once the provider vouches for it`() async throws {
        try await apple.start { $0.confirmsAtOnce = false }.use { server in
            let first = try await apple.signIn(server, subject: "001", email: "ada@example.org")
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
                let unproven = try await apple.signIn(server, subject: "001", email: email, isVerified: false)
                #expect(unproven.code == "provider_email_needs_verification", "\(unproven.json)")
            }
            let other = try await apple.signIn(server, subject: "001", email: "eve@example.org")
            #expect(other.code == "provider_email_needs_verification", "\(other.json)")
            let proven = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            #expect(proven["user"]?["id"]?.string == id, "\(proven.json)")
            let user = try await server.auth(.get, "/user", token: proven.text("access_token"))
            #expect(user["email_confirmed_at"] != nil)
            #expect(user["identities"]?.array?.map { $0["provider"] } == ["apple"])
            #expect(user["app_metadata"]?["providers"] == ["apple"])
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
        }
    }

    @Test func `opens an account whose number is confirmed, whatever its address`() async throws {
        try await apple.start().use { server in
            let first = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            try server.application.execute(
                "UPDATE auth.users SET email_confirmed_at = NULL, phone = '4915112345678', phone_confirmed_at = now()"
            )
            let unproven = try await apple.signIn(server, subject: "001", email: "ada@example.org", isVerified: false)
            #expect(unproven["user"]?["id"] == first["user"]?["id"], "\(unproven.json)")
            #expect(unproven["user"]?["email_confirmed_at"] == nil)
            let proven = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            #expect(
                try await server.auth(.get, "/user", token: proven.text("access_token"))["email_confirmed_at"] != nil
            )
            #expect(try await server.refresh(first.text("refresh_token")).status == 200)
        }
    }

    @Test func `joins the account that has the address by another provider`() async throws {
        try await apple.start { $0.confirmsAtOnce = false }.use { server in
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
            let stranger = try await apple.signIn(server, subject: "001", email: "ada@work.example")
            #expect(stranger["user"]?["id"] != own["id"], "nobody has vouched for that")
            _ = try await server.admin(.delete, "/\(stranger["user"]?["id"]?.string ?? "")")
            try server.application.execute(
                "UPDATE auth.identities SET identity_data = identity_data || '{\"email_verified\": true}'"
            )
            let joined = try await apple.signIn(server, subject: "001", email: "ada@work.example")
            #expect(joined["user"]?["id"] == own["id"], "\(joined.json)")
            #expect(joined["user"]?["email"] == "ada@example.org")

            // Of two nobody knows which is meant.
            let other = try await server.admin(.post, "", ["email": "bob@example.org", "email_confirm": true])
            for (subject, id) in [("g2", own.text("id")), ("g3", other.text("id"))] {
                let data = #"{"sub": "\#(subject)", "email": "both@work.example", "email_verified": true}"#
                try remember(subject, data, at: id)
            }
            let third = try await apple.signIn(server, subject: "002", email: "both@work.example")
            #expect(third["user"]?["email"] == "both@work.example", "\(third.json)")
        }
    }

    @Test func `leaves neither passkey nor factor to who took an address`() async throws {
        try await apple.start { PasskeyClient.enable(&$0) }.use { server in
            let attacker = try await PasskeyClient(server)
            let authenticator = try await attacker.authenticator()
            #expect(try await server.signIn(by: authenticator).status == 200)
            var factor = FactorClient(server, try await server.signIn("ada@example.org"))
            _ = try await factor.raise()
            let seized = try await apple.signIn(server, subject: "001", email: "ada@example.org")
            #expect(seized["user"]?["id"]?.string == attacker.userID)
            #expect(seized["user"]?["factors"] == nil)
            #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
        }
    }

    @Test func `seizes an address whose account has a confirmed number only`() async throws {
        try await apple.start().use { server in
            let fields: JSONValue = [
                "email": "ada@example.org", "password": "attacker1", "phone": "4915112345678", "phone_confirm": true,
            ]
            let taken = try await server.admin(.post, "", fields)
            try server.application.execute("UPDATE auth.users SET email_change = 'attacker@example.org'")
            let seized = try await apple.signIn(server, subject: "001", email: "ada@example.org")
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
        try await apple.start { $0.allowsAnonymousUsers = true }.use { server in
            let guest = try await server.auth(.post, "/signup", [:])
            let token = guest.text("access_token")
            try server.application.execute(
                "UPDATE auth.users SET is_anonymous = false, phone = '4915112345678', phone_confirmed_at = now()"
            )
            let linked = try await apple.signIn(
                server,
                subject: "001",
                email: "ada@example.org",
                token: token,
                links: true
            )
            #expect(linked["user"]?["id"] == guest["user"]?["id"], "\(linked.json)")
            #expect(linked["user"]?["phone"] == "4915112345678")
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
        }
    }

    @Test func `links to who is signed in already, once`() async throws {
        try await apple.start { $0.allowsAnonymousUsers = true }.use { server in
            let guest = try await server.auth(.post, "/signup", [:])
            let token = guest.text("access_token")
            let linked = try await apple.signIn(
                server,
                subject: "001",
                email: "ada@example.org",
                token: token,
                links: true
            )
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
            let kept = try await apple.signIn(
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
            let stolen = try await apple.signIn(
                server,
                subject: "001",
                email: "ada@example.org",
                token: other,
                links: true
            )
            #expect(stolen.code == "identity_already_exists")
        }
    }

    @Test func `links an identity without its address when that is unverified, and not at all when it is taken`()
        async throws
    {
        try await apple.start { $0.allowsAnonymousUsers = true }.use { server in
            let token = try await server.auth(.post, "/signup", [:]).text("access_token")
            func link(_ subject: String, _ email: String, isVerified: Bool = true) async throws -> SignInServer.Answer {
                try await apple.signIn(
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

    @Test func `keeps a provider that is linked at the same moment`() async throws {
        try await apple.start { $0.confirmsAtOnce = false }.use { server in
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
            let linking = Task { try await apple.signIn(server, subject: "001", email: "ada@example.org") }
            try await server.waitForLock()
            try other.execute("COMMIT")
            #expect(try await linking.value["user"]?["app_metadata"]?["providers"] == ["email", "google", "apple"])
        }
    }
}
