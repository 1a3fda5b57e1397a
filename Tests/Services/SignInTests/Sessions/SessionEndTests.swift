import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct SessionEndTests {
    private func age(_ server: SignInServer, _ column: String, _ seconds: Int) throws {
        try server.application.execute(
            "UPDATE auth.sessions SET \(column) = \(column) - \(seconds) * interval '1 second'"
        )
    }

    @Test func `goes on for ever by default, with many sessions beside it`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            #expect(try await server.signIn("ada@example.org").status == 200)
            let next = try await server.refresh(session.text("refresh_token"))
            for column in ["created_at", "updated_at", "refreshed_at"] { try age(server, column, 100_000_000) }
            #expect(try await server.refresh(next.text("refresh_token")).status == 200)
        }
    }

    @Test func `ends with the time box, however much it is used`() async throws {
        try await SignInServer.start { $0.sessionSeconds = 3600 }.use { server in
            var session = try await server.signUp("ada@example.org")
            try age(server, "created_at", 3590)
            session = try await server.refresh(session.text("refresh_token"))
            #expect(session.status == 200)
            try age(server, "created_at", 11)
            for _ in 0..<2 {
                let refusal = try await server.refresh(session.text("refresh_token"))
                #expect(refusal.status == 400)
                #expect(refusal.code == "session_expired")
            }
            #expect(try await server.signIn("ada@example.org").status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `ends when nobody has used it for long`(hasColumn: Bool) async throws {
        let sql = hasColumn ? "" : "ALTER TABLE auth.sessions DROP COLUMN refreshed_at, DROP COLUMN tag"
        try await SignInServer.start(sql: sql) {
            $0.inactivitySeconds = 3600
            $0.allowsOneSession = true
        }.use { server in
            let last = hasColumn ? "refreshed_at" : "updated_at"
            var session = try await server.signUp("ada@example.org")
            // Before the first refresh its beginning counts.
            if !hasColumn { try age(server, "updated_at", 3500) }
            try age(server, "created_at", 3500)
            for _ in 0..<3 {
                session = try await server.refresh(session.text("refresh_token"))
                #expect(session.status == 200)
                try age(server, last, 3500)
            }
            try age(server, last, 101)
            let refusal = try await server.refresh(session.text("refresh_token"))
            #expect(refusal.code == "session_expired")
            #expect(refusal.text("message").hasSuffix("(Inactivity)"))
            let mobile = try await server.send(
                .post,
                "/mobile-auth/refresh",
                ["refresh_token": .string(session.text("refresh_token"))]
            )
            #expect(mobile.status == 401)
        }
    }

    @Test func `ends the older sessions of the person, of those with the same tag`() async throws {
        try await SignInServer.start { $0.allowsOneSession = true }.use { server in
            let first = try await server.signUp("ada@example.org")
            let other = try await server.signUp("bob@example.org")
            let second = try await server.signIn("ada@example.org")
            let refusal = try await server.refresh(first.text("refresh_token"))
            #expect(refusal.code == "session_expired")
            #expect(refusal.text("message").hasSuffix("(Revoked by Newer Login)"))
            #expect(try await server.refresh(second.text("refresh_token")).status == 200)
            #expect(try await server.refresh(other.text("refresh_token")).status == 200)

            let id = try #require(server.claims(second.text("access_token"))["session_id"]?.string)
            try server.application.execute("UPDATE auth.sessions SET tag = 'watch' WHERE id = '\(id)'")
            let next = try await server.refresh(first.text("refresh_token"))
            #expect(next.status == 200)
            try server.application.execute("UPDATE auth.sessions SET tag = NULL")
            #expect(try await server.refresh(next.text("refresh_token")).code == "session_expired")
            // One that has ended itself stands in nobody's way.
            try server.application.execute("UPDATE auth.sessions SET not_after = now() WHERE id = '\(id)'")
            #expect(try await server.refresh(next.text("refresh_token")).status == 200)
        }
    }
}
