import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Passkeys: from registration to removal, and the attacks on the way.
@Suite(.needsDatabase, .hangLimit)
struct PasskeyTests {
    // MARK: The way of a passkey

    @Test(arguments: SignatureAlgorithm.allCases)
    func `registers, signs in without an address, and signs in again`(algorithm: SignatureAlgorithm) async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            var authenticator = try await ada.authenticator(algorithm)
            authenticator.counter = 1
            let session = try await server.signIn(by: authenticator)
            #expect(session.status == 200, "\(session.json)")
            #expect(session["user"]?["id"]?.string == ada.userID)
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["aal"] == "aal1")
            #expect(claims["amr"]?.array?.map { $0["method"]?.string } == ["passkey"])
            authenticator.counter = 2
            #expect(try await server.signIn(by: authenticator).status == 200)
            #expect(try server.value("SELECT sign_count::text FROM auth.webauthn_credentials") == "2")
        }
    }

    @Test func `offers what clients hand to the browser`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let authenticator = try await ada.authenticator()
            let answer = try await ada.registrationOptions()
            let options = answer["options"] ?? .null
            #expect(options["rp"] == ["id": "app.example", "name": "App"])
            #expect(options["user"]?["id"] == SoftAuthenticator.encoded(Array(ada.userID.utf8)))
            #expect(options["user"]?["name"] == "ada@example.org")
            #expect(options["pubKeyCredParams"]?.array?.compactMap { $0["alg"]?.int } == [-7, -8, -257])
            #expect(options["authenticatorSelection"]?["residentKey"] == "required")
            #expect(options["authenticatorSelection"]?["userVerification"] == "preferred")
            #expect(
                options["excludeCredentials"]?.array?.map { $0["id"] } == [SoftAuthenticator.encoded(authenticator.id)]
            )
            #expect(options["excludeCredentials"]?[0]?["transports"] == ["internal", "hybrid"])
            #expect(answer["expires_at"]?.int != nil)
            // For everybody the same: it names nobody.
            let request = try await server.passkeyOptions()["options"]
            #expect(request?.object?.keys.sorted() == ["challenge", "rpId", "timeout", "userVerification"])
            #expect(request?["challenge"] != (try await server.passkeyOptions()["options"]?["challenge"]))
        }
    }

    @Test func `lists, renames, deletes, and tells administrators`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator()
            authenticator.userHandle = Array(ada.userID.utf8)
            authenticator.model = [
                0xFB, 0xFC, 0x30, 0x07, 0x15, 0x4E, 0x4E, 0xCC, 0x8C, 0x0B, 0x6E, 0x02, 0x05, 0x57, 0xD7, 0xBD,
            ]
            let made = try await ada.register(authenticator)
            let id = made.text("id")
            #expect(made.text("friendly_name") == "iCloud Keychain")
            #expect(try await ada.list().map { $0["id"]?.string } == [id])
            #expect(try await ada.list()[0]["last_used_at"] == nil)
            _ = try await server.signIn(by: authenticator)
            #expect(try await ada.list()[0]["last_used_at"]?.string?.hasSuffix("Z") == true)

            let long: JSONValue = ["friendly_name": .string(String(repeating: "x", count: 121))]
            #expect(
                try await server.auth(.patch, "/passkeys/\(id)", long, token: ada.token).code == "validation_failed"
            )
            let renamed = try await server.auth(.patch, "/passkeys/\(id)", ["friendly_name": "phone"], token: ada.token)
            #expect(renamed.text("friendly_name") == "phone")

            let bob = try await PasskeyClient(server, "bob@example.org")
            for method in [SwiftletHTTP.Method.patch, .delete] {
                let answer = try await server.auth(
                    method,
                    "/passkeys/\(id)",
                    ["friendly_name": "mine"],
                    token: bob.token
                )
                #expect(answer.status == 404)
                #expect(answer.code == "validation_failed")
            }
            #expect(try await bob.list().isEmpty)
            #expect(try await server.admin(.get, "/\(ada.userID)/passkeys").json[0]?["id"]?.string == id)
            #expect(try await server.admin(.delete, "/\(bob.userID)/passkeys/\(id)").status == 404)

            #expect(try await server.auth(.delete, "/passkeys/\(id)", token: ada.token).status == 204)
            #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
            let second = try await ada.register(try SoftAuthenticator())
            #expect(try await server.admin(.delete, "/\(ada.userID)/passkeys/\(second.text("id"))").status == 204)
            #expect(try await ada.list().isEmpty)
            let actions = try server.value(
                """
                SELECT string_agg(payload ->> 'action', ',' ORDER BY created_at) FROM auth.audit_log_entries
                WHERE payload ->> 'action' LIKE 'passkey%'
                """
            )
            #expect(actions == "passkey_created,passkey_updated,passkey_deleted,passkey_created,passkey_deleted")
        }
    }

    @Test func `is off unless it is turned on`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await PasskeyClient(server)
            for (method, path) in [
                (SwiftletHTTP.Method.post, "/passkeys/registration/options"), (.post, "/passkeys/registration/verify"),
                (.post, "/passkeys/authentication/options"), (.post, "/passkeys/authentication/verify"),
                (.get, "/passkeys"), (.delete, "/passkeys/\(ada.userID)"),
            ] {
                let answer = try await server.auth(method, path, method == .post ? [:] : nil, token: ada.token)
                #expect(answer.status == 404, "\(path)")
                #expect(answer.code == "passkey_disabled", "\(path)")
            }
            #expect(try await server.auth(.get, "/settings").json["passkeys_enabled"] == false)
        }
    }

    // MARK: Registration

    @Test(arguments: SignatureAlgorithm.allCases)
    func `takes a statement that the new key has signed, and no other`(algorithm: SignatureAlgorithm) async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator(algorithm)
            authenticator.attestation = .packedSelf
            let options = try await ada.registrationOptions()
            let right = try authenticator.create(options["options"] ?? .null)
            #expect(try await ada.register(options.text("challenge_id"), right).status == 200)

            var other = try SoftAuthenticator(algorithm)
            other.attestation = .packedSelf
            let again = try await ada.registrationOptions()
            let text = try other.create(again["options"] ?? .null)["response"]?["attestationObject"]?.string ?? ""
            // The last bytes are of the key, which no longer is what was signed.
            var broken = try other.create(again["options"] ?? .null).object ?? [:]
            var response = broken["response"]?.object ?? [:]
            response["attestationObject"] = .string(
                text.dropLast(8) + (text.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA")
            )
            broken["response"] = .object(response)
            let refused = try await ada.register(again.text("challenge_id"), .object(broken))
            #expect(refused.code == "webauthn_verification_failed")
            #expect(try await ada.list().count == 1)
        }
    }

    /// What is wrong with a new credential, or with its use.
    enum Fault: String, CaseIterable, Sendable {
        case origin, subdomain, port, scheme, relyingParty, frame, ceremony, absent, unverified

        func spoil(_ authenticator: inout SoftAuthenticator) {
            switch self {
            case .origin: authenticator.origin = "https://evil.example"
            case .subdomain: authenticator.origin = "https://evil.app.example"
            case .port: authenticator.origin = "https://app.example:8443"
            case .scheme: authenticator.origin = "http://app.example"
            case .relyingParty: authenticator.relyingParty = "example"
            case .frame: authenticator.isCrossOrigin = true
            case .ceremony: authenticator.type = "payment.get"
            case .absent: authenticator.flags = [.userVerified]
            case .unverified: authenticator.flags = [.userPresent]
            }
        }
    }

    @Test(arguments: Fault.allCases)
    func `refuses a credential that was made elsewhere or otherwise`(fault: Fault) async throws {
        try await PasskeyClient.start { $0.passkeys.verification = .required }.use { server in
            let ada = try await PasskeyClient(server)
            var spoiled = try SoftAuthenticator()
            fault.spoil(&spoiled)
            let made = try await ada.register(spoiled)
            #expect(made.status == 400, "\(made.json)")
            #expect(made.code == "webauthn_verification_failed")
            #expect(try await ada.list().isEmpty)

            var authenticator = try await ada.authenticator()
            #expect(try await server.signIn(by: authenticator).status == 200)
            fault.spoil(&authenticator)
            let used = try await server.signIn(by: authenticator)
            #expect(used.status == 400, "\(used.json)")
            #expect(used.code == "webauthn_verification_failed")
        }
    }

    @Test(arguments: [-35, -37, -65535, 5])
    func `refuses keys of other algorithms`(algorithm: Int) async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            var authenticator = try SoftAuthenticator()
            authenticator.claimedAlgorithm = algorithm
            #expect(try await ada.register(authenticator).code == "webauthn_verification_failed")
        }
    }

    @Test func `answers a challenge once, in time, in its session, for its account and purpose`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let authenticator = try SoftAuthenticator()
            let options = try await ada.registrationOptions()
            let (challenge, credential) = (
                options.text("challenge_id"), try authenticator.create(options["options"] ?? .null)
            )
            // Others cannot even use it up.
            let bob = try await PasskeyClient(server, "bob@example.org")
            #expect(try await bob.register(challenge, credential).code == "webauthn_challenge_not_found")
            let elsewhere = PasskeyClient(server, try await server.signIn("ada@example.org"))
            #expect(try await elsewhere.register(challenge, credential).code == "webauthn_challenge_not_found")
            #expect(try await server.signInByPasskey(challenge, credential).code == "webauthn_challenge_not_found")
            #expect(try await ada.register(challenge, credential).status == 200)
            #expect(try await ada.register(challenge, credential).code == "webauthn_challenge_not_found")
            // Made by the same authenticator again.
            let more = try await ada.registrationOptions()
            let same = try authenticator.create(more["options"] ?? .null)
            #expect(try await ada.register(more.text("challenge_id"), same).code == "webauthn_credential_exists")
            // The answer to another challenge.
            let last = try await ada.registrationOptions()
            let stale = try SoftAuthenticator().create(more["options"] ?? .null)
            #expect(try await ada.register(last.text("challenge_id"), stale).code == "webauthn_verification_failed")
            let right = try SoftAuthenticator().create(last["options"] ?? .null)
            #expect(try await ada.register(last.text("challenge_id"), right).code == "webauthn_challenge_not_found")

            let old = try await ada.registrationOptions()
            try server.application.execute("UPDATE auth.webauthn_challenges SET expires_at = now()")
            let late = try SoftAuthenticator().create(old["options"] ?? .null)
            #expect(try await ada.register(old.text("challenge_id"), late).code == "webauthn_challenge_expired")
            #expect(try await ada.register(old.text("challenge_id"), late).code == "webauthn_challenge_not_found")
        }
    }

    @Test func `limits passkeys, also from fifty at a time`() async throws {
        try await PasskeyClient.start { $0.passkeys.maximumPerAccount = 3 }.use { server in
            let ada = try await PasskeyClient(server)
            var attempts: [(String, JSONValue)] = []
            for _ in 1...50 {
                let options = try await ada.registrationOptions()
                attempts.append(
                    (options.text("challenge_id"), try SoftAuthenticator().create(options["options"] ?? .null))
                )
            }
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for (challenge, credential) in attempts {
                    group.addTask { try await ada.register(challenge, credential).code }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(codes.count { $0.isEmpty } == 3)
            #expect(codes.count { $0 == "too_many_passkeys" } == 47, "\(codes)")
            #expect(try await ada.registrationOptions().code == "too_many_passkeys")
        }
    }

    @Test func `asks for the second factor, where there is one, and refuses guests`() async throws {
        try await PasskeyClient.start { $0.allowsAnonymousUsers = true }.use { server in
            var factor = try await FactorClient(server)
            let before = PasskeyClient(server, try await server.signIn("ada@example.org"))
            let passkey = try await before.register(try SoftAuthenticator()).text("id")
            _ = try await factor.raise()
            let after = PasskeyClient(server, try await server.signIn("ada@example.org"))
            #expect(try await after.registrationOptions().code == "insufficient_aal")
            #expect(
                try await server.auth(.delete, "/passkeys/\(passkey)", token: after.token).code == "insufficient_aal"
            )
            #expect(try await server.auth(.delete, "/passkeys/\(passkey)", token: factor.token).status == 204)
            let guest = PasskeyClient(server, try await server.auth(.post, "/signup", [:]))
            #expect(try await guest.registrationOptions().code == "no_authorization")
            #expect(try await server.auth(.post, "/passkeys/registration/options", [:]).status == 401)
        }
    }

    // MARK: Owners

    @Test func `tells the owner by mail, exports, and goes with the account`() async throws {
        let mailing = try await MailingServer.start { settings in
            PasskeyClient.enable(&settings)
            settings.confirmsAtOnce = true
        }
        let server = mailing.server
        let ada = try await PasskeyClient(server)
        let id = try await ada.register(try SoftAuthenticator()).text("id")
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "ada@example.org") == ["A passkey has been added"])
        let export = try await server.auth(.get, "/user/export", token: ada.token)
        #expect(export["passkeys"]?.array?.map { $0["id"]?.string } == [id])
        #expect(export["passkeys"]?[0]?["public_key"] == nil)
        #expect(try await server.auth(.delete, "/passkeys/\(id)", token: ada.token).status == 204)
        try await server.emailsAreSent()
        #expect(mailing.subjects(to: "ada@example.org").last == "A passkey has been removed")
        _ = try await ada.register(try SoftAuthenticator())
        let deleted = try await server.auth(
            .delete,
            "/user",
            ["password": .string(SignInServer.password)],
            token: ada.token
        )
        #expect(deleted.status == 200)
        #expect(try server.value("SELECT count(*)::text FROM auth.webauthn_credentials") == "0")
        await server.stop()
    }

    // MARK: GoTrue's databases

    @Test func `works in the tables that GoTrue has made`() async throws {
        let database = try GoTrueDatabase.create(.newest)
        try database.migrate()
        try await SignInServer.start(databaseURL: database.url) { PasskeyClient.enable(&$0) }.use { server in
            let ada = try await PasskeyClient(server, "new@example.org")
            let authenticator = try await ada.authenticator()
            let session = try await server.signIn(by: authenticator)
            #expect(session.status == 200, "\(session.json)")
            var factor = FactorClient(server, session)
            _ = try await factor.raise()
            let codes = try await server.auth(.post, "/factors/recovery-codes", token: factor.token)
            #expect(codes["codes"]?.array?.count == 10, "\(codes.json)")
        }
    }

    @Test func `is off where an administrator has not granted the tables, or they are missing`() async throws {
        for age in GoTrueDatabase.Age.allCases {
            let database = try GoTrueDatabase.create(age)
            try database.migrate()
            if age == .newest {
                try BlockingConnection.connect(to: database.administratorURL).execute(
                    "REVOKE INSERT ON auth.webauthn_challenges, auth.mfa_recovery_codes FROM swiftlet_test_server"
                )
            }
            try await SignInServer.start(databaseURL: database.url) { PasskeyClient.enable(&$0) }.use { server in
                #expect(try await server.passkeyOptions().code == "passkey_disabled")
                let ada = try await PasskeyClient(server, "new@example.org")
                #expect(try await ada.registrationOptions().code == "passkey_disabled")
                let status = try await server.auth(.get, "/factors/recovery-codes", token: ada.token)
                #expect(status.code == "mfa_factor_not_found")
            }
        }
    }
}
