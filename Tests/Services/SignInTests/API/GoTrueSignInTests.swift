import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// People of a database that GoTrue has served until now: their passwords, sessions and tokens go on.
@Suite(.needsDatabase, .hangLimit)
struct GoTrueSignInTests {
    private func start(_ age: GoTrueDatabase.Age) async throws -> (SignInServer, GoTrueDatabase) {
        let database = try GoTrueDatabase.create(age)
        try database.migrate()
        return (try await SignInServer.start(databaseURL: database.url), database)
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `signs in with the hash that is there`(age: GoTrueDatabase.Age) async throws {
        let (server, database) = try await start(age)
        let answer = try await server.signIn("Grace@Hopper.example", GoTrueDatabase.password)
        #expect(answer.status == 200, "\(answer.response.text)")
        #expect(answer["user"]?["id"]?.string == GoTrueDatabase.userID)
        #expect(answer["user"]?["identities"]?[0]?["provider"]?.string == "email")
        #expect(answer["user"]?["identities"]?[0]?["id"]?.string == GoTrueDatabase.userID)
        #expect(answer["user"]?["is_anonymous"]?.bool == false)
        let claims = try server.claims(answer.text("access_token"))
        #expect(claims["sub"]?.string == GoTrueDatabase.userID)
        #expect(claims["role"]?.string == "authenticated")
        let user = try await server.auth(.get, "/user", token: answer.text("access_token"))
        #expect(user.status == 200)
        #expect(user["email"]?.string == GoTrueDatabase.email)
        let next = try await server.refresh(answer.text("refresh_token"))
        #expect(next.status == 200, "\(next.response.text)")

        #expect(try await server.signIn(GoTrueDatabase.email, "wrong").code == "invalid_credentials")
        for password in ["", " ", "x"] {
            #expect(try await server.signIn(GoTrueDatabase.appleEmail, password).status == 400)
        }
        let login = try await server.send(
            .post,
            "/mobile-auth/login",
            ["email": .string(GoTrueDatabase.email), "password": .string(GoTrueDatabase.password)]
        )
        #expect(login.status == 200, "\(login.response.text)")
        // GoTrue could take over again: the hash is the same, nothing is NULL that it cannot read.
        let administrator = try BlockingConnection.connect(to: database.administratorURL)
        let row = try administrator.query(
            """
            SELECT encrypted_password, confirmation_token, recovery_token, email_change FROM auth.users
            WHERE email = '\(GoTrueDatabase.email)'
            """
        )
        #expect(row == [[GoTrueDatabase.passwordHash, "", "", ""]])
        await server.stop()
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `goes on with a session from before`(age: GoTrueDatabase.Age) async throws {
        let (server, _) = try await start(age)
        // The app never got the answer to its last refresh: it has the token before the current one.
        let lost = try await server.refresh(GoTrueDatabase.parentToken)
        #expect(lost.status == 200, "\(lost.response.text)")
        #expect(lost.text("refresh_token") == GoTrueDatabase.refreshToken)
        let next = try await server.refresh(GoTrueDatabase.refreshToken)
        #expect(next.status == 200, "\(next.response.text)")
        #expect(next.text("refresh_token") != GoTrueDatabase.refreshToken)
        let claims = try server.claims(next.text("access_token"))
        #expect(claims["session_id"]?.string == GoTrueDatabase.sessionID)
        #expect(claims["sub"]?.string == GoTrueDatabase.userID)
        #expect(claims["amr"]?[0]?["method"]?.string == "password")
        #expect(try await server.refresh(next.text("refresh_token")).status == 200)
        await server.stop()
    }

    @Test(arguments: GoTrueDatabase.Age.allCases)
    func `signs new people up beside the old ones`(age: GoTrueDatabase.Age) async throws {
        let (server, _) = try await start(age)
        let answer = try await server.signUp("new@acme.example")
        #expect(answer.status == 200, "\(answer.response.text)")
        #expect(try await server.signIn("new@acme.example").status == 200)
        #expect(try await server.signUp(GoTrueDatabase.email).code == "user_already_exists")
        let out = try await server.auth(.post, "/logout", token: answer.text("access_token"))
        #expect(out.status == 204)
        await server.stop()
    }

    /// Five wrong ones lock, from outside: 429 with the time to wait, in both APIs, the right password included.
    @Test func `locks an account after five wrong passwords`() async throws {
        let (server, _) = try await start(.newest)
        for _ in 0..<5 { #expect(try await server.signIn(GoTrueDatabase.email, "wrong").status == 400) }
        let locked = try await server.signIn(GoTrueDatabase.email, GoTrueDatabase.password)
        #expect(locked.status == 429)
        let wait = try #require(locked.response.headers["Retry-After"].flatMap { Int($0) })
        #expect((1790...1800).contains(wait))
        let login = try await server.send(
            .post,
            "/mobile-auth/login",
            ["email": .string(GoTrueDatabase.email), "password": .string(GoTrueDatabase.password)]
        )
        #expect(login.status == 429)
        #expect(login["error"]?.string == "account_locked")
        await server.stop()
    }

    @Test func `lets a crowd of guesses at one moment try five passwords, not more`() async throws {
        let (server, _) = try await start(.newest)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask { try await server.signIn(GoTrueDatabase.email, "guess \(number)").status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 400 }.count == 5)
        #expect(statuses.filter { $0 == 429 }.count == 35)
        #expect(try await server.signIn(GoTrueDatabase.email, GoTrueDatabase.password).status == 429)
        await server.stop()
    }
}
