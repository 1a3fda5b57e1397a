import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletSignIn

/// Who has done what to which account, as `auth.audit_log_entries` has it.
@Suite(.needsDatabase, .hangLimit)
struct AuditTests {
    private static let address = "203.0.113.7"
    private static let headers: [(Headers.Name, String)] = [
        ("X-Supabase-Api-Version", "2024-01-01"), ("X-Forwarded-For", address),
    ]

    private func send(
        _ server: SignInServer,
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ body: JSONValue? = nil,
        token: String? = nil
    ) async throws -> SignInServer.Answer {
        try await server.auth(method, path, body, token: token, headers: Self.headers)
    }

    /// The entries of an action, newest first.
    private func entries(_ server: SignInServer, _ action: String) async throws -> [JSONValue] {
        let path = "/admin/audit?query=action:\(action)"
        return try await server.auth(.get, path, token: SignInServer.serviceKey).json.array ?? []
    }

    @Test(arguments: ["service_role", "supabase_admin"])
    func `names the administrator as the actor, and the account in the traits`(role: String) async throws {
        try await SignInServer.start().use { server in
            let sub = RandomID.make()
            let claims = #"{"sub":"\#(sub)","role":"\#(role)","exp":4000000000}"#
            let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(claims.utf8))
            let made = try await send(server, .post, "/admin/users", ["email": "ada@example.org"], token: token)
            #expect(made.status == 200, "\(made.json)")
            let id = made.text("id")
            let change: JSONValue = ["email": "ada@new.example", "phone": "+4915112345678"]
            #expect(try await send(server, .put, "/admin/users/\(id)", change, token: token).status == 200)
            #expect(try await send(server, .delete, "/admin/users/\(id)", token: token).status == 200)
            for (action, type, email, phone) in [
                ("user_signedup", "team", "ada@example.org", ""),
                ("user_modified", "user", "ada@new.example", "4915112345678"),
                ("user_deleted", "team", "ada@new.example", "4915112345678"),
            ] {
                let found = try await entries(server, action)
                let entry = try #require(found.first, "\(action)")
                #expect(entry["ip_address"]?.string == Self.address, "\(action)")
                #expect(
                    entry["payload"] == [
                        "action": .string(action), "actor_id": .string(sub), "actor_username": .string(role),
                        "actor_via_sso": false, "log_type": .string(type),
                        "traits": [
                            "user_id": .string(id), "user_email": .string(email), "user_phone": .string(phone),
                        ],
                    ]
                )
            }
            let found = try await server.auth(
                .get,
                "/admin/audit?query=author:admin",
                token: SignInServer.serviceKey
            )
            #expect(found.json.array?.count == (role == "supabase_admin" ? 3 : 0))
        }
    }

    @Test func `has the nil UUID for a key that belongs to nobody`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.admin(.post, "", ["email": "ada@example.org"])
            let found = try await entries(server, "user_signedup")
            let entry = try #require(found.first)
            #expect(entry["payload"]?["actor_id"] == "00000000-0000-0000-0000-000000000000")
            #expect(entry["payload"]?["actor_username"] == "service_role")
        }
    }

    @Test func `lists pages with their number and their neighbors`() async throws {
        try await SignInServer.start().use { server in
            func page(_ query: String) async throws -> SignInServer.Answer {
                try await server.auth(.get, "/admin/audit\(query)", token: SignInServer.serviceKey)
            }
            for number in 1...3 { _ = try await server.admin(.post, "", ["email": "u\(number)@example.org"]) }
            let all = try await page("")
            #expect(all.response.headers["X-Total-Count"] == "3")
            #expect(all.response.headers["Link"] == "</admin/audit?page=1>; rel=\"last\"")
            let first = try await page("?per_page=2")
            #expect(
                first.response.headers["Link"]
                    == "</admin/audit?page=2&per_page=2>; rel=\"next\", </admin/audit?page=2&per_page=2>; rel=\"last\""
            )
            #expect(try await page("?query=action:login").response.headers["X-Total-Count"] == "0")
        }
    }

    @Test func `has the client's address for what people do to their own accounts`() async throws {
        try await SignInServer.start().use { server in
            let body: JSONValue = ["email": "ada@example.org", "password": .string(SignInServer.password)]
            let token = try await send(server, .post, "/signup", body).text("access_token")
            _ = try await send(server, .put, "/user", ["data": ["a": 1]], token: token)
            _ = try await send(server, .put, "/user", ["password": "another horse"], token: token)
            let factor = try await send(server, .post, "/factors", ["factor_type": "totp"], token: token).text("id")
            _ = try await send(server, .delete, "/factors/\(factor)", token: token)
            for action in [
                "user_signedup", "login", "user_modified", "user_updated_password", "factor_in_progress",
                "factor_unenrolled",
            ] {
                let found = try await entries(server, action)
                let entry = try #require(found.first, "\(action)")
                #expect(entry["ip_address"]?.string == Self.address, "\(action)")
                #expect(entry["payload"]?["actor_username"] == "ada@example.org")
            }
        }
    }

    @Test func `has an entry for an invitation`() async throws {
        let mailing = try await MailingServer.start()
        try await mailing.server.use { server in
            let invited = try await send(
                server,
                .post,
                "/invite",
                ["email": "ada@example.org"],
                token: SignInServer.serviceKey
            )
            let found = try await entries(server, "user_invited")
            let entry = try #require(found.first)
            #expect(entry["ip_address"]?.string == Self.address)
            #expect(entry["payload"]?["actor_username"] == "service_role")
            #expect(
                entry["payload"]?["traits"]
                    == ["user_id": .string(invited.text("id")), "user_email": "ada@example.org"]
            )
        }
    }

    private static let requests: [(String, JSONValue, Bool, String)] = [
        ("/recover", ["email": "ada@example.org"], true, "user_recovery_requested"),
        ("/otp", ["email": "ada@example.org"], true, "user_recovery_requested"),
        ("/signup", ["email": "ada@example.org", "password": "correct horse"], true, "user_repeated_signup"),
        ("/resend", ["type": "signup", "email": "ada@example.org"], false, "user_confirmation_requested"),
    ]

    @Test(arguments: requests)
    func `has an entry for a mail that somebody asks for, none for strangers`(
        path: String,
        body: JSONValue,
        isConfirmed: Bool,
        action: String
    ) async throws {
        let mailing = try await MailingServer.start { $0.isSignUpDisabled = path == "/otp" }
        try await mailing.server.use { server in
            if path != "/signup" {
                #expect(
                    try await send(server, .post, path, ["type": "signup", "email": "x@example.org"]).status == 200
                )
            }
            _ = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": .bool(isConfirmed)])
            #expect(try await entries(server, action).isEmpty)
            #expect(try await send(server, .post, path, body).status == 200)
            let found = try await entries(server, action)
            #expect(found.count == 1)
            #expect(found.first?["ip_address"]?.string == Self.address)
            #expect(found.first?["payload"]?["actor_username"] == "ada@example.org")
            #expect(found.first?["payload"]?["log_type"] == "user")
        }
    }

    @Test func `has entries for a sign-up that waits for its mail`() async throws {
        let mailing = try await MailingServer.start()
        try await mailing.server.use { server in
            let body: JSONValue = ["email": "ada@example.org", "password": .string(SignInServer.password)]
            #expect(try await send(server, .post, "/signup", body).status == 200)
            for action in ["user_signedup", "user_confirmation_requested"] {
                let found = try await entries(server, action)
                #expect(found.count == 1, "\(action)")
                #expect(found.first?["payload"]?["traits"] == ["provider": "email"], "\(action)")
                #expect(found.first?["ip_address"]?.string == Self.address, "\(action)")
            }
        }
    }
}
