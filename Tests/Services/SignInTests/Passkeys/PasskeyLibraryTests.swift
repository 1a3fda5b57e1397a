import Foundation
import SwiftletBytes
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

import struct SwiftletClient.AuthManager
import struct SwiftletClient.PasskeyAssertion
import struct SwiftletClient.PasskeyRegistration
import struct SwiftletClient.Passkeys

@testable import SwiftletSignIn

/// The passkeys of `SwiftletClient`, as an app asks for them, with a device in software.
@Suite(.needsDatabase, .hangLimit)
struct PasskeyLibraryTests {
    /// A member of a device's answer.
    private static func bytes(_ value: JSONValue, _ name: String) -> Data {
        Data(value["response"]?[name]?.string.flatMap { Base64URL.decode($0) } ?? [])
    }

    private static func challenge(_ data: Data) -> JSONValue {
        ["challenge": .string(Base64URL.encode(bytes: Array(data)))]
    }

    @Test func `registers, signs in elsewhere, renames and deletes`() async throws {
        try await PasskeyClient.start { $0.passkeys.isEnabled = true }.use { server in
            let session = try await server.signUp("ada@example.org")
            let userID = session["user"]?["id"]?.string ?? ""
            let app = try server.app()
            // The library signs in with a password at /mobile-auth, which is the same session.
            try await AuthManager(client: app).login(email: "ada@example.org", password: SignInServer.password)
            let passkeys = Passkeys(client: app)

            let options = try await passkeys.registrationOptions()
            #expect(options.relyingPartyID == "app.example")
            #expect(String(decoding: options.userID, as: UTF8.self) == userID)
            #expect(options.userName == "ada@example.org")
            #expect(options.challenge.count >= 16)
            #expect(options.excludedCredentials.isEmpty)
            var device = try SoftAuthenticator()
            device.userHandle = Array(options.userID)
            let made = try device.create(Self.challenge(options.challenge))
            let registration = PasskeyRegistration(
                credentialID: Data(device.id),
                clientData: Self.bytes(made, "clientDataJSON"),
                attestation: Self.bytes(made, "attestationObject")
            )
            let passkey = try await passkeys.register(registration, answering: options)
            #expect(try await passkeys.list().map(\.id) == [passkey.id])
            #expect(try await passkeys.registrationOptions().excludedCredentials == [Data(device.id)])
            // The challenge is used up.
            await #expect(throws: (any Error).self) { try await passkeys.register(registration, answering: options) }

            let elsewhere = Passkeys(client: try server.app())
            let asked = try await elsewhere.signInOptions()
            #expect(asked.relyingPartyID == "app.example")
            device.counter = 1
            let signed = try device.get(Self.challenge(asked.challenge))
            let assertion = PasskeyAssertion(
                credentialID: Data(device.id),
                clientData: Self.bytes(signed, "clientDataJSON"),
                authenticatorData: Self.bytes(signed, "authenticatorData"),
                signature: Self.bytes(signed, "signature"),
                userID: Data(device.userHandle)
            )
            let user = try await elsewhere.signIn(assertion, answering: asked)
            #expect(user.id == userID)
            #expect(user.email == "ada@example.org")
            // It is signed in there now.
            try await elsewhere.rename(passkey.id, to: "Ada's phone")
            #expect(try await elsewhere.list().map(\.friendlyName) == ["Ada's phone"])
            try await elsewhere.delete(passkey.id)
            #expect(try await passkeys.list().isEmpty)
            let gone = try await elsewhere.signInOptions()
            await #expect(throws: (any Error).self) { try await elsewhere.signIn(assertion, answering: gone) }
        }
    }

    @Test func `signs in to the account that the passkey's own was merged with`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let device = try await ada.authenticator()
            let bob = try await PasskeyClient(server, "bob@example.org")
            // As `swiftlet users merge` does it; while both are there, the passkey is of neither.
            try server.application.execute("UPDATE auth.webauthn_credentials SET user_id = '\(bob.userID)'")
            #expect(try await server.signIn(by: device).status == 400)
            try server.application.execute("DELETE FROM auth.users WHERE id = '\(ada.userID)'")
            let session = try await server.signIn(by: device)
            #expect(session.status == 200, "\(session.json)")
            #expect(session["user"]?["id"]?.string == bob.userID)
        }
    }
}
