import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// An address that nobody has confirmed, and that more than one sign-up claims.
@Suite(.needsDatabase, .hangLimit)
struct RepeatedSignUpTests {
    private func signUp(_ server: SignInServer, _ password: String) async throws -> SignInServer.Answer {
        let body: JSONValue = [
            "email": "ada@example.org", "password": .string(password), "data": ["by": .string(password)],
        ]
        return try await server.auth(.post, "/signup", body)
    }

    /// Within the minute there is no second email: the owner follows the one that the other sign-up sent.
    @Test(arguments: [true, false])
    func `keeps nobody's password when two differ`(isWithinTheMinute: Bool) async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        #expect(try await signUp(server, "attacker1").status == 200)
        if !isWithinTheMinute {
            try server.application.execute(
                "UPDATE auth.users SET confirmation_sent_at = confirmation_sent_at - interval '61 seconds'"
            )
        }
        #expect(try await signUp(server, "victim123").status == 200)
        #expect(try await signUp(server, "attacker1").status == 200)
        let (hash, _) = try await mailing.message()
        #expect(mailing.count == (isWithinTheMinute ? 1 : 2))
        let session = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(hash)])
        #expect(session.status == 200, "\(session.json)")
        for password in ["attacker1", "victim123"] {
            #expect(try await server.signIn("ada@example.org", password).code == "invalid_credentials", "\(password)")
        }
        let token = session.text("access_token")
        #expect(try await server.auth(.put, "/user", ["password": "victim123"], token: token).status == 200)
        #expect(try await server.signIn("ada@example.org", "victim123").status == 200)
        // Confirmed, it is out of reach.
        #expect(try await signUp(server, "attacker1")["identities"] == [])
        #expect(try await server.signIn("ada@example.org", "victim123").status == 200)
        await server.stop()
    }

    @Test func `keeps the password of who sends it twice`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let (first, second) = (try await signUp(server, "victim123"), try await signUp(server, "victim123"))
        #expect(first["id"] == second["id"])
        #expect(second["identities"]?.array?.count == 1)
        let (hash, _) = try await mailing.message()
        _ = try await server.auth(.post, "/verify", ["type": "signup", "token_hash": .string(hash)])
        #expect(try await server.signIn("ada@example.org", "victim123").status == 200)
        await server.stop()
    }

    @Test func `shows nothing but what was sent`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let fields: JSONValue = [
            "email": "ada@example.org", "app_metadata": ["tenant_id": "acme", "role_level": 5],
            "user_metadata": ["note": "private"],
        ]
        let made = try await server.admin(.post, "", fields)
        let answer = try await signUp(server, "stranger1")
        #expect(answer["id"] == made["id"], "\(answer.json)")
        #expect(answer["email"] == "ada@example.org", "\(answer.json)")
        #expect(answer["app_metadata"] == ["provider": "email", "providers": ["email"]])
        #expect(answer["user_metadata"]?["by"] == "stranger1")
        #expect(answer["user_metadata"]?["note"] == nil)
        #expect(answer["confirmation_sent_at"] != nil)
        #expect(answer["email_confirmed_at"] == nil)
        #expect(answer["identities"]?.array?.count == 1)
        #expect(answer["identities"]?[0]?["provider"] == "email")
        // Nor does it take anything away.
        #expect(try await server.admin(.get, "/\(made.text("id"))")["user_metadata"]?["note"] == "private")
        await server.stop()
    }

    @Test func `gives both of two at once the same answer`() async throws {
        let mailing = try await MailingServer.start()
        let server = mailing.server
        let other = try BlockingConnection.connect(to: server.application.databaseURL)
        try other.execute(
            """
            BEGIN;
            INSERT INTO auth.users (instance_id, id, email)
            VALUES ('00000000-0000-0000-0000-000000000000', gen_random_uuid(), 'ada@example.org');
            """
        )
        let signingUp = Task { try await signUp(server, "victim123") }
        try await server.waitForLock()
        try other.execute("COMMIT")
        let answer = try await signingUp.value
        #expect(answer["identities"]?.array?.count == 1, "\(answer.json)")
        #expect(try server.value("SELECT id FROM auth.users") == answer.text("id"))
        try await server.emailsAreSent()
        #expect(mailing.count == 1)
        await server.stop()
    }
}
