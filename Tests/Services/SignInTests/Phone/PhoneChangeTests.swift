import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// New numbers: by their owners, who show the code of a text, and by administrators.
@Suite(.needsDatabase, .hangLimit)
struct PhoneChangeTests {
    private static let old = "4915112345678"
    private static let new = "4915187654321"

    private func change(
        _ texting: TextingServer,
        to phone: String = new,
        token: String
    ) async throws -> SignInServer.Answer {
        try await texting.server.auth(.put, "/user", ["phone": .string(phone)], token: token)
    }

    @Test func `takes effect when the code to the new number is shown`() async throws {
        try await TextingServer.start().use { texting in
            let session = try await texting.signedIn(Self.old)
            let user = try await change(texting, to: "+\(Self.new)", token: session.text("access_token"))
            #expect(user.status == 200, "\(user.json)")
            #expect(user.text("phone") == Self.old)
            #expect(user.text("new_phone") == Self.new)
            #expect(user["phone_change_sent_at"] != nil)
            let code = try await texting.code(to: Self.new)
            // It signs nobody in, at either number.
            #expect(try await texting.verify(Self.new, code).code == "otp_expired")
            #expect(try await texting.verify(Self.old, code, type: "phone_change").code == "otp_expired")
            let changed = try await texting.verify(Self.new, code, type: "phone_change")
            #expect(changed.status == 200, "\(changed.json)")
            #expect(changed["user"]?["phone"]?.string == Self.new)
            #expect(changed["user"]?["new_phone"] == nil)
            #expect(changed["user"]?["identities"]?.array?.first?["identity_data"]?["phone"]?.string == Self.new)
            #expect(changed["user"]?["id"] == session["user"]?["id"])
            #expect(try await texting.verify(Self.new, code, type: "phone_change").code == "otp_expired")
        }
    }

    @Test func `gives an account with an address a number`() async throws {
        try await TextingServer.start().use { texting in
            let session = try await texting.server.signUp("ada@example.org")
            _ = try await change(texting, token: session.text("access_token"))
            let changed = try await texting.verify(Self.new, try await texting.code(to: Self.new), type: "phone_change")
            #expect(changed["user"]?["phone"]?.string == Self.new)
            #expect(changed["user"]?["phone_confirmed_at"] != nil)
            #expect(changed["user"]?["app_metadata"]?["providers"] == ["email", "phone"])
            let body: JSONValue = ["phone": .string(Self.new), "password": .string(SignInServer.password)]
            #expect(try await texting.server.auth(.post, "/token?grant_type=password", body).status == 200)
        }
    }

    @Test func `tells the owner by mail that the number is another one`() async throws {
        let log = LogRecord()
        try await TextingServer.start(mail: MailSettings(.log), logger: log) { $0.confirmsAtOnce = true }.use {
            texting in
            let token = try await texting.server.signUp("ada@example.org").text("access_token")
            _ = try await change(texting, token: token)
            let changed = try await texting.verify(Self.new, try await texting.code(to: Self.new), type: "phone_change")
            #expect(changed.status == 200, "\(changed.json)")
            try await texting.server.emailsAreSent()
            let told = log.text.split(separator: "\n").filter { $0.contains("to=ada@example.org") }
            #expect(told.count == 1 && told[0].contains("subject=Your phone number has been changed"), "\(told)")
        }
    }

    @Test func `makes an anonymous account somebody's`() async throws {
        try await TextingServer.start { $0.allowsAnonymousUsers = true }.use { texting in
            let session = try await texting.server.auth(.post, "/signup", [:])
            _ = try await change(texting, token: session.text("access_token"))
            let changed = try await texting.verify(Self.new, try await texting.code(to: Self.new), type: "phone_change")
            #expect(changed["user"]?["id"] == session["user"]?["id"])
            #expect(changed["user"]?["is_anonymous"] == false)
            #expect(changed["user"]?["app_metadata"]?["provider"] == "phone")
        }
    }

    @Test func `tells only the number's owner that somebody has it`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.signedIn(Self.new)
            try texting.waitMinute()
            let session = try await texting.signedIn(Self.old)
            #expect(try await change(texting, token: session.text("access_token")).status == 200)
            let taken = try await texting.verify(Self.new, try await texting.code(to: Self.new), type: "phone_change")
            #expect(taken.status == 422)
            #expect(taken.code == "phone_exists")
            #expect(try texting.server.value("SELECT count(*) FROM auth.users WHERE phone = '\(Self.new)'") == "1")
        }
    }

    @Test func `lets two accounts wait for a number, each with a code of its own`() async throws {
        try await TextingServer.start().use { texting in
            let ada = try await texting.server.signUp("ada@example.org")
            let eve = try await texting.server.signUp("eve@example.org")
            _ = try await change(texting, token: ada.text("access_token"))
            let code = try await texting.code(to: Self.new)
            try texting.waitMinute()
            _ = try await change(texting, token: eve.text("access_token"))
            let other = try await texting.code(to: Self.new)
            try #require(code != other)
            let changed = try await texting.verify(Self.new, code, type: "phone_change")
            #expect(changed["user"]?["id"] == ada["user"]?["id"])
            #expect(try await texting.verify(Self.new, other, type: "phone_change").code == "phone_exists")
        }
    }

    @Test func `resends nothing for a number that two accounts wait for`() async throws {
        try await TextingServer.start().use { texting in
            let ada = try await texting.server.signUp("ada@example.org")
            let eve = try await texting.server.signUp("eve@example.org")
            _ = try await change(texting, token: ada.text("access_token"))
            _ = try await texting.code(to: Self.new)
            try texting.waitMinute()
            _ = try await change(texting, token: eve.text("access_token"))
            _ = try await texting.code(to: Self.new)
            let count = try await texting.count(to: Self.new)
            try texting.waitMinute()
            let body: JSONValue = ["type": "phone_change", "phone": .string(Self.new)]
            #expect(try await texting.server.auth(.post, "/resend", body).status == 200)
            #expect(try await texting.count(to: Self.new) == count)
        }
    }

    @Test func `an account that somebody has begun with the number does not keep it from its owner`() async throws {
        try await TextingServer.start().use { texting in
            _ = try await texting.otp(Self.new)
            _ = try await texting.code(to: Self.new)
            try texting.waitMinute()
            let session = try await texting.server.signUp("ada@example.org")
            _ = try await change(texting, token: session.text("access_token"))
            let changed = try await texting.verify(Self.new, try await texting.code(to: Self.new), type: "phone_change")
            #expect(changed.status == 200, "\(changed.json)")
            #expect(changed["user"]?["id"] == session["user"]?["id"])
        }
    }

    @Test func `sends the text of a change again`() async throws {
        try await TextingServer.start().use { texting in
            let session = try await texting.signedIn(Self.old)
            _ = try await change(texting, token: session.text("access_token"))
            try texting.waitMinute()
            let body: JSONValue = ["type": "phone_change", "phone": .string(Self.new)]
            #expect(try await texting.server.auth(.post, "/resend", body).status == 200)
            #expect(try await texting.count(to: Self.new) == 2)
            let code = try await texting.code(to: Self.new)
            #expect(try await texting.verify(Self.new, code, type: "phone_change").status == 200)
        }
    }

    @Test func `forgets the change when the password is changed`() async throws {
        try await TextingServer.start().use { texting in
            let session = try await texting.server.signUp("ada@example.org")
            let token = session.text("access_token")
            _ = try await change(texting, token: token)
            let code = try await texting.code(to: Self.new)
            #expect(
                try await texting.server.auth(.put, "/user", ["password": "another horse"], token: token).status == 200
            )
            #expect(try await texting.verify(Self.new, code, type: "phone_change").code == "otp_expired")
        }
    }

    @Test func `needs the second factor where there is one`() async throws {
        try await TextingServer.start().use { texting in
            let ada = try await FactorClient(texting.server)
            var raised = ada
            _ = try await raised.raise()
            let body: JSONValue = ["email": "ada@example.org", "password": .string(SignInServer.password)]
            let session = try await texting.server.auth(.post, "/token?grant_type=password", body)
            let refused = try await change(texting, token: session.text("access_token"))
            #expect(refused.status == 401)
            #expect(refused.code == "insufficient_aal")
            #expect(try await texting.count(to: Self.new) == 0)
            #expect(try await change(texting, token: raised.token).status == 200)
        }
    }

    @Test func `sends the code for a new password by text`() async throws {
        try await TextingServer.start { $0.requiresReauthentication = true }.use { texting in
            let session = try await texting.signedIn(Self.old)
            let token = session.text("access_token")
            try texting.server.application.execute("UPDATE auth.sessions SET created_at = now() - interval '2 days'")
            let needed = try await texting.server.auth(.put, "/user", ["password": "another horse"], token: token)
            #expect(needed.code == "reauthentication_needed")
            try texting.waitMinute()
            #expect(try await texting.server.auth(.get, "/reauthenticate", token: token).status == 200)
            let nonce = try await texting.code(to: Self.old)
            #expect(try await texting.verify(Self.old, nonce).code == "otp_expired")
            let body: JSONValue = ["password": "another horse", "nonce": .string(nonce)]
            #expect(try await texting.server.auth(.put, "/user", body, token: token).status == 200)
        }
    }

    // MARK: Administrators

    @Test func `lets administrators give and confirm numbers, as numbers`() async throws {
        try await TextingServer.start().use { texting in
            let server = texting.server
            let made = try await server.admin(.post, "", ["phone": "+49 151 12345678", "phone_confirm": true])
            #expect(made.status == 200, "\(made.json)")
            #expect(made.text("phone") == Self.old)
            #expect(made["phone_confirmed_at"] != nil)
            #expect(made["identities"]?.array?.first?["provider"] == "phone")
            #expect(made["identities"]?.array?.first?["identity_data"]?["phone_verified"] == true)
            #expect(made["app_metadata"] == ["provider": "phone", "providers": ["phone"]])
            #expect(try await server.admin(.post, "", ["phone": .string(Self.old)]).code == "phone_exists")
            #expect(try await server.admin(.post, "", ["phone": "12x"]).code == "validation_failed")
            let changed = try await server.admin(.put, "/\(made.text("id"))", ["phone": .string("+\(Self.new)")])
            #expect(changed.text("phone") == Self.new)
            #expect(changed["identities"]?.array?.first?["identity_data"]?["phone"]?.string == Self.new)
            let other = try await server.admin(.post, "", ["email": "ada@example.org", "email_confirm": true])
            let taken = try await server.admin(.put, "/\(other.text("id"))", ["phone": .string(Self.new)])
            #expect(taken.status == 422)
            #expect(taken.code == "phone_exists")
            let given = try await server.admin(.put, "/\(other.text("id"))", ["phone": .string(Self.old)])
            #expect(given["phone_confirmed_at"] == nil)
            #expect(given["app_metadata"]?["providers"] == ["email", "phone"])
            let confirmed = try await server.admin(.put, "/\(other.text("id"))", ["phone_confirm": true])
            #expect(confirmed["phone_confirmed_at"] != nil)
            // Nobody was sent anything, and both may sign in by a code.
            #expect(try await texting.count(to: Self.old) == 0)
            #expect(try await texting.signedIn(Self.new)["user"]?["id"] == made["id"])
        }
    }
}
