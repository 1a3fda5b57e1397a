import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Passkeys of another server, which writes keys in its own way.
@Suite(.needsDatabase, .hangLimit)
struct ForeignPasskeyTests {
    @Test func `lists, excludes, counts, renames and deletes what nobody can sign in with`() async throws {
        try await PasskeyClient.start { $0.passkeys.maximumPerAccount = 2 }.use { server in
            let ada = try await PasskeyClient(server)
            let authenticator = try await ada.authenticator()
            try server.application.execute("UPDATE auth.webauthn_credentials SET public_key = 'test-public-key'")
            #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
            let list = try await ada.list()
            #expect(list.count == 1)
            let id = list.first?["id"]?.string ?? ""
            #expect(try await server.admin(.get, "/\(ada.userID)/passkeys").json[0]?["id"]?.string == id)
            let offered = try await ada.registrationOptions()
            #expect(offered["options"]?["excludeCredentials"]?.array?.count == 1)
            let path = "/passkeys/\(id)"
            let renamed = try await server.auth(.patch, path, ["friendly_name": "old"], token: ada.token)
            #expect(renamed.text("friendly_name") == "old", "\(renamed.json)")

            #expect(try await ada.register(try SoftAuthenticator()).status == 200)
            #expect(try await ada.registrationOptions().code == "too_many_passkeys")
            #expect(try await server.auth(.delete, path, token: ada.token).status == 204)
            #expect(try await ada.list().count == 1)
        }
    }
}
