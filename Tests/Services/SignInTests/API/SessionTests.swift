import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct SessionTests {
    @Test func `signs up, in, refreshes, shows the user and signs out`() async throws {
        try await SignInServer.start().use { server in
            let new = try await server.signUp("Ada+Test@Example.ORG", data: ["firstName": "Ada"])
            #expect(new.status == 200)
            #expect(new["token_type"] == "bearer")
            #expect(new["expires_in"] == 3600)
            #expect(new["user"]?["email"] == "ada+test@example.org")
            #expect(new["user"]?["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(new["user"]?["user_metadata"]?["firstName"] == "Ada")
            #expect(new["user"]?["identities"]?.array?.count == 1)
            #expect(new["user"]?["created_at"]?.string?.hasSuffix("Z") == true)

            let session = try await server.signIn("ADA+test@example.org")
            #expect(session.status == 200)
            let token = session.text("access_token")
            let claims = try server.claims(token)
            #expect(claims["iss"] == "https://api.example/auth/v1")
            #expect(claims["aud"] == "authenticated")
            #expect(claims["role"] == "authenticated")
            #expect(claims["aal"] == "aal1")
            #expect(claims["amr"]?[0]?["method"] == "password")
            #expect(claims["is_anonymous"] == false)
            #expect(claims["sub"] == session["user"]?["id"])

            let user = try await server.auth(.get, "/user", token: token)
            #expect(user.status == 200)
            #expect(user["email"] == "ada+test@example.org")

            let next = try await server.refresh(session.text("refresh_token"))
            #expect(next.status == 200)
            #expect(next.text("refresh_token") != session.text("refresh_token"))
            #expect(try server.claims(next.text("access_token"))["session_id"] == claims["session_id"])

            let out = try await server.auth(.post, "/logout?scope=local", token: next.text("access_token"))
            #expect(out.status == 204)
            #expect(out.response.body.isEmpty)
            let after = try await server.auth(.get, "/user", token: token)
            #expect(after.status == 403)
            #expect(after.code == "session_not_found")
            #expect(try await server.refresh(next.text("refresh_token")).code == "refresh_token_not_found")
            // The sign-up's session goes on.
            #expect(try await server.refresh(new.text("refresh_token")).status == 200)
        }
    }

    @Test func `hands out one successor to all who ask with one token at once, on two servers`() async throws {
        let first = try await SignInServer.start()
        try await SignInServer.start(databaseURL: first.application.databaseURL).use { second in
            let new = try await first.signUp("ada@example.org")
            #expect(new.status == 200, "\(new.json)")
            let token = new.text("refresh_token")
            let answers = try await withThrowingTaskGroup { group in
                for turn in 0..<8 {
                    group.addTask { try await (turn % 2 == 0 ? first : second).refresh(token) }
                }
                return try await group.reduce(into: [SignInServer.Answer]()) { $0.append($1) }
            }
            #expect(answers.map(\.code).filter { !$0.isEmpty } == [])
            #expect(answers.map(\.status) == Array(repeating: 200, count: 8))
            #expect(Set(answers.map { $0.text("refresh_token") }).count == 1)
            #expect(try first.value("SELECT count(*) FROM auth.refresh_tokens WHERE NOT revoked") == "1")
            await first.stop()
        }
    }
}
