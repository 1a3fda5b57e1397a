import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct RefreshTests {
    @Test func `writes the rows as GoTrue does`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            _ = try await server.refresh(session.text("refresh_token"))
            let row = try server.value(
                """
                SELECT concat_ws('|', n.parent = o.token, o.revoked, n.revoked, n.user_id = u.id::text, n.instance_id,
                    n.session_id = o.session_id, s.refreshed_at BETWEEN (now() AT TIME ZONE 'UTC') - interval '1 minute'
                        AND now() AT TIME ZONE 'UTC', s.aal, s.ip, length(n.token))
                FROM auth.refresh_tokens AS o JOIN auth.refresh_tokens AS n ON n.parent = o.token
                    JOIN auth.sessions AS s ON s.id = n.session_id JOIN auth.users AS u ON u.id = s.user_id
                """
            )
            #expect(row == "t|t|f|t|00000000-0000-0000-0000-000000000000|t|t|aal1|127.0.0.1|12")
            let columns = """
                SELECT count(*) FROM auth.users WHERE confirmation_token = '' AND recovery_token = ''
                    AND email_change_token_new = '' AND email_change = '' AND phone_change = ''
                    AND phone_change_token = '' AND email_change_token_current = '' AND reauthentication_token = ''
                    AND encrypted_password LIKE '$2_$04$%' AND phone IS NULL AND confirmed_at IS NOT NULL
                """
            #expect(try server.value(columns) == "1")
        }
    }

    @Test func `shows what has changed since`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            let id = try #require(session["user"]?["id"]?.string)
            _ = try await server.admin(.put, "/\(id)", ["app_metadata": ["tenant_id": "acme", "role_level": 4]])
            let next = try await server.refresh(session.text("refresh_token"))
            let metadata = try server.claims(next.text("access_token"))["app_metadata"]
            #expect(metadata?["tenant_id"] == "acme")
            #expect(metadata?["tenantId"] == "acme")
            #expect(metadata?["roleLevel"] == 4)
        }
    }

    @Test func `refuses unknown, banned, expired and sessionless ones by name`() async throws {
        try await SignInServer.start().use { server in
            #expect(try await server.refresh("nobodyhasthis").code == "refresh_token_not_found")
            #expect(try await server.refresh("a\u{0}b").code == "refresh_token_not_found")
            #expect(try await server.refresh(String(repeating: "x", count: 1000)).code == "refresh_token_not_found")

            let expired = try await server.signUp("expired@example.org").text("refresh_token")
            try server.application.execute("UPDATE auth.sessions SET not_after = now() - interval '1 second'")
            #expect(try await server.refresh(expired).code == "session_expired")

            let banned = try await server.signUp("banned@example.org")
            try server.application.execute(
                "UPDATE auth.users SET banned_until = now() + interval '1 hour' WHERE email = 'banned@example.org'"
            )
            #expect(try await server.refresh(banned.text("refresh_token")).code == "user_banned")
            try server.application.execute("UPDATE auth.users SET banned_until = now() - interval '1 hour'")
            #expect(try await server.refresh(banned.text("refresh_token")).status == 200)

            try server.application.execute(
                "INSERT INTO auth.refresh_tokens (token, user_id, revoked) VALUES ('ancient', 'x', false)"
            )
            #expect(try await server.refresh("ancient").code == "session_not_found")
        }
    }

    @Test func `does not end a session for trouble with the database`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("refresh_token")

            // Somebody else holds the session for too long.
            let holder = try BlockingConnection.connect(to: server.application.databaseURL)
            try holder.execute("BEGIN")
            try holder.execute("SELECT FROM auth.sessions FOR UPDATE")
            let busy = try await server.refresh(token)
            #expect(busy.status == 409)
            #expect(busy.code == "conflict")
            try holder.execute("COMMIT")

            let name = try #require(try server.value("SELECT current_database()"))
            let administrator = try BlockingConnection.connect(to: try #require(TestDatabase.url))
            try administrator.execute("ALTER DATABASE \(name) WITH ALLOW_CONNECTIONS false")
            try administrator.execute(
                "DO $$ BEGIN PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'; END $$"
            )
            for _ in 0..<3 {
                let answer = try await server.refresh(token)
                #expect(answer.status == 503)
                #expect(answer.code == "unexpected_failure")
                #expect(answer.response.headers[.retryAfter] != nil)
            }
            let mobile = try await server.send(.post, "/mobile-auth/refresh", ["refresh_token": .string(token)])
            #expect(mobile.status == 503)
            #expect(mobile.text("error") == "server_error")
            try administrator.execute("ALTER DATABASE \(name) WITH ALLOW_CONNECTIONS true")
            var last = try await server.refresh(token)
            for _ in 0..<100 where last.status == 503 {
                try await Task.sleep(for: .milliseconds(100))
                last = try await server.refresh(token)
            }
            #expect(last.status == 200)
        }
    }

    @Test(arguments: [true, false])
    func `leaves whoever used an old token nothing, if so configured`(endsSessions: Bool) async throws {
        try await SignInServer.start {
            $0.reuseIntervalSeconds = 0
            $0.endsStolenSessions = endsSessions
        }.use { server in
            let other = try await server.signUp("ada@example.org")
            let first = try await server.signIn("ada@example.org")
            let second = try await server.refresh(first.text("refresh_token"))
            let third = try await server.refresh(second.text("refresh_token"))
            #expect(try await server.refresh(first.text("refresh_token")).code == "refresh_token_already_used")

            for session in [first, third] {
                let change = try await server.auth(
                    .put,
                    "/user",
                    ["data": ["x": 1]],
                    token: session.text("access_token")
                )
                #expect(change.code == (endsSessions ? "session_not_found" : ""))
            }
            let next = try await server.refresh(third.text("refresh_token"))
            #expect(next.code == (endsSessions ? "refresh_token_not_found" : ""))
            #expect(try await server.refresh(other.text("refresh_token")).status == 200)
        }
    }

    @Test func `takes tokens of GoTrue's second kind`() async throws {
        try await SignInServer.start { $0.reuseIntervalSeconds = 0 }.use { server in
            let session = try await server.signUp("ada@example.org")
            let id = try #require(try server.claims(session.text("access_token"))["session_id"]?.string)
            let stored = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
            try server.application.execute(
                "UPDATE auth.sessions SET refresh_token_hmac_key = '\(stored)', refresh_token_counter = 3"
            )
            let key = try #require(SignedRefreshToken.key(stored))
            func token(_ counter: Int) throws -> String {
                try SignedRefreshToken.make(sessionID: id, counter: counter, key)
            }
            #expect(try await server.refresh(token(3)).text("refresh_token") == token(4))
            #expect(try await server.refresh(token(3)).text("refresh_token") == token(4))
            #expect(try await server.refresh(token(4)).text("refresh_token") == token(5))
            #expect(try await server.refresh(token(9)).code == "validation_failed")
            #expect(try await server.refresh(token(3)).code == "refresh_token_already_used")
            #expect(try await server.refresh(token(5)).code == "refresh_token_not_found")
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
        }
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `goes on with sessions that GoTrue began`(age: GoTrueDatabase.Age) async throws {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        try await SignInServer.start(databaseURL: database.url) { $0.reuseIntervalSeconds = 0 }.use { server in
            let next = try await server.refresh(GoTrueDatabase.refreshToken)
            #expect(next.status == 200, "\(next.json)")
            #expect(next["user"]?["id"] == .string(GoTrueDatabase.userID))
            #expect(next["user"]?["identities"]?[0]?["id"] == .string(GoTrueDatabase.userID))
            #expect(try server.claims(next.text("access_token"))["amr"]?[0]?["method"] == "password")
            let last = try await server.refresh(next.text("refresh_token"))
            #expect(last.status == 200)
            // Two generations back by now.
            #expect(try await server.refresh(GoTrueDatabase.refreshToken).code == "refresh_token_already_used")
            #expect(try await server.refresh(last.text("refresh_token")).code == "refresh_token_not_found")
            let left = try server.value(
                "SELECT (SELECT count(*) FROM auth.sessions) + (SELECT count(*) FROM auth.refresh_tokens)"
            )
            #expect(left == "0")

            let session = try await server.signIn(GoTrueDatabase.email, GoTrueDatabase.password)
            #expect(session.status == 200, "\(session.json)")
            #expect(try await server.refresh(session.text("refresh_token")).status == 200)
            let new = try await server.signUp("new@example.org")
            #expect(new.status == 200, "\(new.json)")
            let user = try await server.auth(.get, "/user", token: new.text("access_token"))
            #expect(user["email"] == "new@example.org")
        }
    }
}
