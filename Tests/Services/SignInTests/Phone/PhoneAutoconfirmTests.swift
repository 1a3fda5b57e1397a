import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Numbers that count as confirmed because nobody asks (`SMS_AUTOCONFIRM`).
@Suite(.needsDatabase, .hangLimit)
struct PhoneAutoconfirmTests {
    private let number: JSONValue = "+4915112345678"

    private func signUp(_ server: SignInServer, _ password: String) async throws -> SignInServer.Answer {
        try await server.auth(.post, "/signup", ["phone": number, "password": .string(password)])
    }

    private func signIn(_ server: SignInServer, _ password: String) async throws -> SignInServer.Answer {
        try await server.auth(.post, "/token?grant_type=password", ["phone": number, "password": .string(password)])
    }

    @Test func `opens a session at once, without anybody who sends texts`() async throws {
        try await SignInServer.start { $0.confirmsPhonesAtOnce = true }.use { server in
            let made = try await signUp(server, "correct horse")
            #expect(made.status == 200, "\(made.json)")
            #expect(!made.text("access_token").isEmpty)
            #expect(made["user"]?["phone_confirmed_at"] != nil)
            #expect(made["user"]?["user_metadata"]?["phone_verified"] == false)
            #expect(try await signUp(server, "another horse").code == "user_already_exists")
            #expect(try await signIn(server, "correct horse").status == 200)
            #expect(try await signIn(server, "another horse").code == "invalid_credentials")
            let settings = try await server.auth(.get, "/settings")
            #expect(settings["external"]?["phone"] == true)
            #expect(settings["phone_autoconfirm"] == true)
            #expect(try await server.auth(.post, "/otp", ["phone": number]).code == "phone_provider_disabled")
            let change: JSONValue = ["phone": "+4915187654321"]
            let token = made.text("access_token")
            #expect(try await server.auth(.put, "/user", change, token: token).code == "phone_provider_disabled")
        }
    }

    @Test func `makes one account of fifty sign-ups at a time`() async throws {
        try await SignInServer.start { $0.confirmsPhonesAtOnce = true }.use { server in
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...20 { group.addTask { try await self.signUp(server, "correct horse").code } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(codes.count(where: \.isEmpty) == 1, "\(codes)")
            #expect(try server.value("SELECT count(*)::text FROM auth.users") == "1")
        }
    }

    @Test func `leaves nothing to who took a number, once its owner enters by a text`() async throws {
        let texting = try await TextingServer.start { settings in
            settings.confirmsPhonesAtOnce = true
            PasskeyClient.enable(&settings)
        }
        let server = texting.server
        let taken = try await signUp(server, "attacker1")
        let authenticator = try await PasskeyClient(server, taken).authenticator()
        _ = try await server.auth(.post, "/otp", ["phone": number])
        let code = try await texting.code(to: "4915112345678")
        let entered = try await server.auth(
            .post,
            "/verify",
            ["type": "sms", "phone": number, "token": .string(code)]
        )
        #expect(entered.status == 200, "\(entered.json)")
        #expect(try await signIn(server, "attacker1").code == "invalid_credentials")
        #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
        #expect(try await server.refresh(taken.text("refresh_token")).status == 400)
        // The owner's own password stays from then on.
        let own = entered.text("access_token")
        #expect(try await server.auth(.put, "/user", ["password": "owner horse"], token: own).status == 200)
        #expect(try await signIn(server, "owner horse").status == 200)
        await server.stop()
    }

    @Test func `stays off unless it is turned on`() async throws {
        try await SignInServer.start().use { (server) async throws in
            #expect(try await signUp(server, "correct horse").code == "phone_provider_disabled")
            #expect(try await signIn(server, "correct horse").code == "phone_provider_disabled")
        }
    }
}
