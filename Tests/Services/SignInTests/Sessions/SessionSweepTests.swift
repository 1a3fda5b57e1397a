import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct SessionSweepTests {
    @Test func `forgets the used tokens of a session after a day, but for the last one`() async throws {
        try await SignInServer.start { $0.reuseIntervalSeconds = 0 }.use { server in
            var tokens = [try await server.signUp("ada@example.org").text("refresh_token")]
            for _ in 0..<4 { tokens.append(try await server.refresh(tokens[tokens.count - 1]).text("refresh_token")) }
            let other = try await server.signIn("ada@example.org").text("refresh_token")
            #expect(try await server.refresh(other).status == 200)
            func age(_ token: String, hours: Int) throws {
                try server.application.execute(
                    "UPDATE auth.refresh_tokens SET updated_at = now() - interval '\(hours) hours' WHERE token = '\(token)'"
                )
            }
            for (token, hours) in [(tokens[0], 1000), (tokens[1], 25), (tokens[2], 23), (tokens[4], 1000), (other, 25)]
            {
                try age(token, hours: hours)
            }
            let last = try await server.refresh(tokens[4])
            #expect(last.status == 200)

            let stored = try server.value(
                "SELECT string_agg(token, ' ' ORDER BY id) FROM auth.refresh_tokens WHERE session_id = "
                    + "(SELECT session_id FROM auth.refresh_tokens WHERE token = '\(tokens[4])')"
            )
            #expect(stored == (tokens[2...] + [last.text("refresh_token")]).joined(separator: " "))
            // Only a refresh of the other session would look at it.
            #expect(try server.value("SELECT count(*) FROM auth.refresh_tokens WHERE token = '\(other)'") == "1")
            // Who has a forgotten one is refused, and nobody else.
            #expect(try await server.refresh(tokens[0]).code == "refresh_token_not_found")
            #expect(try await server.refresh(tokens[4]).text("refresh_token") == last.text("refresh_token"))
            #expect(try await server.refresh(tokens[2]).code == "refresh_token_already_used")
        }
    }

    @Test(arguments: ["not_after", "created_at", "refreshed_at"])
    func `forgets a person's sessions three days after their end, at the next sign-in`(column: String) async throws {
        try await SignInServer.start {
            if column == "created_at" { $0.sessionSeconds = 36000 }
            if column == "refreshed_at" { $0.inactivitySeconds = 36000 }
        }.use { server in
            let seconds = column == "not_after" ? 0 : 36000
            func open(_ email: String, endedHoursAgo hours: Int) async throws -> String {
                let token = try await server.signIn(email).text("access_token")
                let id = try #require(try server.claims(token)["session_id"]?.string)
                try server.application.execute(
                    """
                    SET TIME ZONE 'UTC';
                    UPDATE auth.sessions
                    SET \(column) = now() - interval '\(hours) hours' - \(seconds) * interval '1 second'
                    WHERE id = '\(id)'
                    """
                )
                return id
            }
            for email in ["ada@example.org", "bob@example.org"] {
                #expect(try await server.signUp(email).status == 200)
            }
            try server.application.execute("DELETE FROM auth.sessions")
            let recent = try await open("ada@example.org", endedHoursAgo: 71)
            let old = try await open("ada@example.org", endedHoursAgo: 73)
            let others = try await open("bob@example.org", endedHoursAgo: 73)
            let current = try await open("ada@example.org", endedHoursAgo: -1)
            let ids = try server.value("SELECT string_agg(id::text, ' ' ORDER BY id) FROM auth.sessions")
            #expect(ids == [recent, others, current].sorted().joined(separator: " "))
            #expect(try server.value("SELECT count(*) FROM auth.refresh_tokens WHERE session_id = '\(old)'") == "0")
        }
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `forgets sessions that GoTrue began, if they are limited`(age: GoTrueDatabase.Age) async throws {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        for seconds in [nil, 3600] as [Int?] {
            try await SignInServer.start(databaseURL: database.url) {
                $0.sessionSeconds = seconds
                $0.inactivitySeconds = seconds
            }.use { server in
                let session = try await server.signIn(GoTrueDatabase.email, GoTrueDatabase.password)
                #expect(session.status == 200, "\(session.json)")
                let count = try server.value(
                    "SELECT count(*) FROM auth.sessions WHERE id = '\(GoTrueDatabase.sessionID)'"
                )
                #expect(count == (seconds == nil ? "1" : "0"))
            }
        }
    }
}
