import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

import enum SwiftletClient.APIError
import struct SwiftletClient.AuthManager
import struct SwiftletClient.OwnAccount

@testable import SwiftletSignIn

/// `SwiftletClient` exports and deletes the account of whoever is signed in.
@Suite(.needsDatabase, .hangLimit)
struct OwnAccountTests {
    private static let old = "UPDATE auth.sessions SET created_at = now() - interval '11 minutes'"

    @Test func `exports, deletes for the password, and signs out`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("ada@example.org")
            let app = try server.app()
            let auth = AuthManager(client: app)
            try await auth.login(email: "ada@example.org", password: SignInServer.password)
            try server.application.execute(Self.old)
            let account = OwnAccount(client: app)
            let copy = try JSONParser.parse(Array(try await account.export()))
            #expect(copy["user"]?["email"] == "ada@example.org")
            #expect(copy["sessions"]?.array?.count == 2)
            for (proof, code) in [
                (OwnAccount.Proof.recentSignIn, "reauthentication_needed"),
                (.password("wrong"), "current_password_invalid"), (.code("123456"), "reauthentication_not_valid"),
            ] {
                let error = await #expect(throws: APIError.self) { try await account.delete(showing: proof) }
                #expect(error?.refusal?.code == code, "\(String(describing: error))")
                #expect(await auth.currentUser != nil)
            }
            try await account.delete(showing: .password(SignInServer.password))
            #expect(await auth.currentUser == nil)
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
            await #expect(throws: APIError.unauthorized) { _ = try await account.export() }
        }
    }

    @Test func `deletes for the code that is sent, and at once after a sign-in`() async throws {
        let mailing = try await MailingServer.start { $0.confirmsAtOnce = true }
        let server = mailing.server
        for (email, isOld) in [("ada@example.org", true), ("bob@example.org", false)] {
            _ = try await server.signUp(email)
            let app = try server.app()
            try await AuthManager(client: app).login(email: email, password: SignInServer.password)
            let account = OwnAccount(client: app)
            if isOld {
                try server.application.execute(Self.old)
                try await account.sendCode()
                try await server.emailsAreSent()
                try await account.delete(showing: .code(try mailing.code(to: email)))
            } else {
                try await account.delete(showing: .recentSignIn)
            }
            #expect(try server.value("SELECT count(*) FROM auth.users WHERE email = '\(email)'") == "0")
        }
        await server.stop()
    }

    @Test func `stays signed in where the app's data keep the account`() async throws {
        let sql = "CREATE TABLE public.kept_invoices (owner uuid REFERENCES auth.users (id));"
        try await SignInServer.start(sql: sql).use { server in
            _ = try await server.signUp("ada@example.org")
            let app = try server.app()
            let user = try await AuthManager(client: app).login(
                email: "ada@example.org",
                password: SignInServer.password
            )
            try server.application.execute("INSERT INTO public.kept_invoices VALUES ('\(user.id)')")
            await #expect(throws: APIError.conflict) {
                try await OwnAccount(client: app).delete(showing: .recentSignIn)
            }
            #expect(await AuthManager(client: app).currentUser == user)
        }
    }
}
