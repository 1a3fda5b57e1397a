import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct GenerateLinkTests {
    private func generate(_ server: SignInServer, _ body: JSONValue) async throws -> SignInServer.Answer {
        try await server.auth(.post, "/admin/generate_link", body, token: SignInServer.serviceKey)
    }

    /// The part of the link that this server serves.
    private func path(_ link: String) throws -> String {
        String(try #require(link.split(separator: "https://api.example/auth/v1", maxSplits: 1).last))
    }

    @Test(arguments: ["signup", "invite", "magiclink"])
    func `makes an account and the link to it`(type: String) async throws {
        try await SignInServer.start { $0.redirectAllowList = ["myapp://in"] }.use { server in
            let made = try await generate(
                server,
                [
                    "type": .string(type), "email": "Ada@example.org", "password": "correct horse",
                    "data": ["team": "red"], "redirect_to": "myapp://in",
                ]
            )
            #expect(made.status == 200, "\(made.json)")
            #expect(made["email"] == "ada@example.org")
            #expect(made["user_metadata"]?["team"] == "red")
            #expect(made["redirect_to"] == "myapp://in")
            #expect(made.text("verification_type") == (type == "magiclink" ? "signup" : type))
            #expect(made.text("action_link").contains("token=\(made.text("hashed_token"))"))
            let link = try await server.auth(.get, path(made.text("action_link")))
            let location = try #require(link.response.headers[.location])
            #expect(location.hasPrefix("myapp://in#access_token="), "\(location)")
            let again = try await server.auth(.get, path(made.text("action_link")))
            #expect(again.response.headers[.location]?.contains("otp_expired") == true)
            let password = try await server.signIn("ada@example.org", "correct horse")
            #expect(password.status == (type == "signup" ? 200 : 400), "\(password.json)")
            let taken = try await generate(
                server,
                ["type": .string(type), "email": "ada@example.org", "password": "abcdef"]
            )
            #expect(taken.code == (type == "magiclink" ? "" : "email_exists"), "\(taken.json)")
        }
    }

    @Test func `signs in by code and by hash, each once, and resets a password`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("ada@example.org")
            let magic = try await generate(server, ["type": "magiclink", "email": "ada@example.org"])
            let body: JSONValue = [
                "type": "email", "email": "ada@example.org", "token": .string(magic.text("email_otp")),
            ]
            #expect(try await server.auth(.post, "/verify", body)["access_token"] != nil)
            #expect(try await server.auth(.post, "/verify", body).code == "otp_expired")
            // Not limited to one a minute, as no mail is sent.
            let recovery = try await generate(server, ["type": "recovery", "email": "ada@example.org"])
            let hash: JSONValue = ["type": "recovery", "token_hash": .string(recovery.text("hashed_token"))]
            #expect(try await server.auth(.post, "/verify", hash)["access_token"] != nil)
            #expect(try await server.auth(.post, "/verify", hash).code == "otp_expired")
            #expect(
                try await server.auth(
                    .post,
                    "/verify",
                    ["type": "recovery", "token_hash": "x", "email": "ada@example.org"]
                ).code == "validation_failed"
            )
        }
    }

    @Test func `changes an address when both links have been followed`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("old@example.org")
            var hashes: [JSONValue] = []
            for type in ["email_change_current", "email_change_new"] {
                let made = try await generate(
                    server,
                    ["type": .string(type), "email": "old@example.org", "new_email": "new@example.org"]
                )
                #expect(made.status == 200, "\(made.json)")
                #expect(made["new_email"] == "new@example.org")
                hashes.append(["type": "email_change", "token_hash": .string(made.text("hashed_token"))])
            }
            let half = try await server.auth(.post, "/verify", hashes[0])
            #expect(half.status == 200)
            #expect(half["code"] == "200")
            #expect(half["access_token"] == nil)
            #expect(try await server.auth(.post, "/verify", hashes[0]).code == "otp_expired")
            let whole = try await server.auth(.post, "/verify", hashes[1])
            #expect(whole["user"]?["email"] == "new@example.org", "\(whole.json)")
        }
    }

    @Test func `proves no new address by links to the current one`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("old@example.org")
            for _ in 1...2 {
                let made = try await generate(
                    server,
                    ["type": "email_change_current", "email": "old@example.org", "new_email": "new@example.org"]
                )
                let hash: JSONValue = ["type": "email_change", "token_hash": .string(made.text("hashed_token"))]
                #expect(try await server.auth(.post, "/verify", hash)["code"] == "200")
                #expect(try server.value("SELECT email FROM auth.users") == "old@example.org")
            }
            let made = try await generate(
                server,
                ["type": "email_change_new", "email": "old@example.org", "new_email": "new@example.org"]
            )
            let hash: JSONValue = ["type": "email_change", "token_hash": .string(made.text("hashed_token"))]
            #expect(try await server.auth(.post, "/verify", hash)["user"]?["email"] == "new@example.org")
        }
    }

    @Test func `refuses what makes no sense, and everybody but administrators`() async throws {
        try await SignInServer.start().use { server in
            let body: JSONValue = ["type": "magiclink", "email": "ada@example.org"]
            #expect(try await server.auth(.post, "/admin/generate_link", body).code == "no_authorization")
            let user = try await server.signUp("eve@example.org").text("access_token")
            #expect(try await server.auth(.post, "/admin/generate_link", body, token: user).code == "not_admin")
            let wrong: [(JSONValue, String)] = [
                (["type": "nonsense", "email": "ada@example.org"], "validation_failed"),
                (["type": "magiclink"], "validation_failed"),
                (["type": "magiclink", "email": "x"], "validation_failed"),
                (["type": "signup", "email": "ada@example.org"], "validation_failed"),
                (["type": "recovery", "email": "ada@example.org"], "user_not_found"),
                (
                    ["type": "email_change_new", "email": "ada@example.org", "new_email": "b@example.org"],
                    "user_not_found"
                ),
                (
                    ["type": "email_change_new", "email": "eve@example.org", "new_email": "eve@example.org\nBcc: x"],
                    "validation_failed"
                ),
            ]
            for (body, code) in wrong {
                let answer = try await generate(server, body)
                #expect(answer.code == code, "\(body) \(answer.json)")
            }
            let elsewhere = try await generate(
                server,
                ["type": "magiclink", "email": "eve@example.org", "redirect_to": "https://evil.example/"]
            )
            #expect(elsewhere["redirect_to"] == "https://app.example")
        }
    }
}
