import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What a mail, a link or an administrator hands out, asked for by fifty clients at one moment, a second time, too late,
/// and by somebody else. Codes of texts, apps, passkeys and recovery have suites of their own.
@Suite(.needsDatabase, .hangLimit)
struct OneTimeSecretTests {
    private static let crowd = 50

    /// What `crowd` clients are answered at one moment.
    private func all<Value: Sendable>(_ ask: @escaping @Sendable () async throws -> Value) async throws -> [Value] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<Self.crowd { group.addTask { try await ask() } }
            return try await group.reduce(into: [Value]()) { $0.append($1) }
        }
    }

    private struct Kind: Sendable, CustomTestStringConvertible {
        /// Of `generate_link`.
        let type: String
        /// The column that says when it was made.
        let column: String
        var testDescription: String { type }
    }

    private static let kinds = [
        Kind(type: "signup", column: "confirmation_sent_at"), Kind(type: "invite", column: "confirmation_sent_at"),
        Kind(type: "magiclink", column: "recovery_sent_at"), Kind(type: "recovery", column: "recovery_sent_at"),
        Kind(type: "email_change_new", column: "email_change_sent_at"),
    ]

    private struct Secret: Sendable {
        let code: String
        let hash: String
        let type: String
        /// Where it was sent to.
        let email: String

        func byCode(of email: String? = nil) -> JSONValue {
            ["type": .string(type), "email": .string(email ?? self.email), "token": .string(code)]
        }

        var byHash: JSONValue { ["type": .string(type), "token_hash": .string(hash)] }
    }

    private func start() async throws -> SignInServer {
        try await SignInServer.start {
            $0.confirmsAtOnce = false
            $0.asksBothAddresses = false
        }
    }

    private func secret(_ kind: Kind, for name: String, at server: SignInServer) async throws -> Secret {
        let email = "\(name)@example.org"
        if !["signup", "invite"].contains(kind.type) {
            _ = try await server.admin(.post, "", ["email": .string(email), "email_confirm": true])
        }
        let made = try await server.auth(
            .post,
            "/admin/generate_link",
            [
                "type": .string(kind.type), "email": .string(email), "new_email": .string("new-\(email)"),
                "password": .string(SignInServer.password),
            ],
            token: SignInServer.serviceKey
        )
        #expect(made.status == 200, "\(made.json)")
        let isChange = kind.type == "email_change_new"
        return Secret(
            code: made.text("email_otp"),
            hash: made.text("hashed_token"),
            type: isChange ? "email_change" : kind.type,
            email: isChange ? "new-\(email)" : email
        )
    }

    @Test(arguments: kinds, [true, false])
    private func `opens one session for fifty at a time, and none afterwards`(
        kind: Kind,
        isCode: Bool
    ) async throws {
        try await start().use { server in
            let secret = try await secret(kind, for: "ada", at: server)
            let body = isCode ? secret.byCode() : secret.byHash
            let answers = try await all { try await server.auth(.post, "/verify", body) }
            #expect(answers.count { $0["access_token"] != nil } == 1)
            for answer in answers where answer["access_token"] == nil {
                // Wrong codes are counted, those of a lost race too.
                #expect([403, 429].contains(answer.status), "\(answer.json)")
            }
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
            try server.application.execute("DELETE FROM swiftlet.login_attempts")
            for body in [secret.byCode(), secret.byHash] {
                #expect(try await server.auth(.post, "/verify", body).code == "otp_expired")
            }
        }
    }

    @Test(arguments: kinds)
    private func `leads one of fifty that follow a link to a session`(kind: Kind) async throws {
        try await start().use { server in
            let secret = try await secret(kind, for: "ada", at: server)
            let path = "/verify?token=\(secret.hash)&type=\(secret.type)"
            let places = try await all {
                try await server.auth(.get, path).response.headers[.location] ?? ""
            }
            #expect(places.count { $0.hasPrefix("https://app.example#access_token=") } == 1)
            #expect(places.count { members(of: $0, after: "#")["error_code"] == "otp_expired" } == Self.crowd - 1)
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
        }
    }

    @Test(arguments: kinds)
    private func `opens nothing too late, for another account, or for another purpose`(kind: Kind) async throws {
        try await start().use { server in
            let ada = try await secret(kind, for: "ada", at: server)
            let bob = try await secret(kind, for: "bob", at: server)
            if ada.code != bob.code {
                #expect(try await server.auth(.post, "/verify", ada.byCode(of: bob.email)).code == "otp_expired")
            }
            for other in ["signup", "recovery", "email_change"] where other != ada.type {
                // `magiclink` and `email` sign in by what `signup` and `invite` hand out, as in GoTrue.
                guard !(other == "signup" && ["invite", "magiclink"].contains(ada.type)) else { continue }
                guard !(other == "recovery" && ada.type == "magiclink") else { continue }
                let answer = try await server.auth(
                    .post,
                    "/verify",
                    ["type": .string(other), "token_hash": .string(ada.hash)]
                )
                #expect(answer.code == "otp_expired", "\(other) \(answer.json)")
            }
            try server.application.execute(
                "UPDATE auth.users SET \(kind.column) = now() - interval '3601 seconds' WHERE email LIKE 'ada%'"
            )
            for body in [ada.byCode(), ada.byHash] {
                #expect(try await server.auth(.post, "/verify", body).code == "otp_expired")
            }
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
            #expect(try await server.auth(.post, "/verify", bob.byCode())["access_token"] != nil)
        }
    }

    @Test func `exchanges a code of the client's flow once for fifty at a time`() async throws {
        let mailing = try await MailingServer.startForApp()
        let server = mailing.server
        _ = try await server.addAda()
        let key = try PKCE()
        #expect(try await server.auth(.post, "/otp", key.asking(["email": "ada@example.org"])).status == 200)
        let code = try await server.code(try await mailing.message().hash, "magiclink")
        // Whoever has only the code has nothing, however often it is tried, and takes nothing from its owner.
        for answer in try await all({ try await PKCE().exchange(code, at: server) }) {
            #expect(answer.code == "bad_code_verifier", "\(answer.json)")
        }
        let answers = try await all { try await key.exchange(code, at: server) }
        #expect(answers.count { $0["access_token"] != nil } == 1)
        #expect(answers.count { $0.code == "flow_state_not_found" } == Self.crowd - 1, "\(answers.map(\.json))")
        #expect(try server.value("SELECT count(*) FROM auth.sessions") == "1")
        await server.stop()
    }

    @Test func `takes the code of a password change from one of fifty, of its owner, and in time`() async throws {
        let mailing = try await MailingServer.start { $0.requiresReauthentication = true }
        let server = mailing.server
        func signedIn(_ email: String) async throws -> String {
            let fields: JSONValue = [
                "email": .string(email), "password": .string(SignInServer.password), "email_confirm": true,
            ]
            _ = try await server.admin(.post, "", fields)
            return try await server.signIn(email).text("access_token")
        }
        let (ada, bob) = (try await signedIn("ada@example.org"), try await signedIn("bob@example.org"))
        try server.application.execute("UPDATE auth.sessions SET created_at = now() - interval '25 hours'")
        for token in [ada, bob] { #expect(try await server.auth(.get, "/reauthenticate", token: token).status == 200) }
        try await server.emailsAreSent()
        let (adas, bobs) = (try mailing.code(to: "ada@example.org"), try mailing.code(to: "bob@example.org"))
        @Sendable func change(_ token: String, _ nonce: String, _ password: String) async throws -> SignInServer.Answer
        {
            try await server.auth(
                .put,
                "/user",
                ["password": .string(password), "nonce": .string(nonce)],
                token: token
            )
        }
        if adas != bobs {
            #expect(try await change(ada, bobs, "another horse").code == "reauthentication_not_valid")
        }
        let answers = try await all { try await change(ada, adas, "horse \(RandomID.make())") }
        #expect(answers.count { $0.status == 200 } == 1, "\(answers.map(\.json))")
        for answer in answers where answer.status != 200 { #expect([400, 422, 429].contains(answer.status)) }
        try server.application.execute(
            "UPDATE auth.users SET reauthentication_sent_at = now() - interval '3601 seconds' WHERE email LIKE 'bob%'"
        )
        #expect(try await change(bob, bobs, "another horse").code == "reauthentication_not_valid")
        await server.stop()
    }

    @Test func `changes an address once, however many follow both links at a time`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let fields: JSONValue = [
            "email": "old@example.org", "password": .string(SignInServer.password), "email_confirm": true,
        ]
        _ = try await server.admin(.post, "", fields)
        let token = try await server.signIn("old@example.org").text("access_token")
        _ = try await server.auth(.put, "/user", ["email": "new@example.org"], token: token)
        try await server.emailsAreSent()
        let hashes = [try mailing.hash(to: "old@example.org"), try mailing.hash(to: "new@example.org")]
        var sessions = 0
        for hash in hashes {
            let places = try await all {
                try await server.auth(.get, "/verify?type=email_change&token=\(hash)").response.headers[.location] ?? ""
            }
            sessions += places.count { $0.contains("#access_token=") }
            #expect(places.count { !$0.contains("error=") } == 1)
        }
        #expect(sessions == 1)
        #expect(try server.value("SELECT email FROM auth.users") == "new@example.org")
        await server.stop()
    }
}
