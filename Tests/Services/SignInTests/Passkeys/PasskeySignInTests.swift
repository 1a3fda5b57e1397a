import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Attacks on sign-ins with passkeys.
@Suite(.needsDatabase, .hangLimit)
struct PasskeySignInTests {
    @Test func `refuses a copied key, once its counter goes back or stays`() async throws {
        try await PasskeyClient.start().use { server in
            var authenticator = try await PasskeyClient(server).authenticator()
            authenticator.counter = 7
            #expect(try await server.signIn(by: authenticator).status == 200)
            for counter in [7, 6, 0] {
                authenticator.counter = counter
                #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed", "\(counter)")
            }
            authenticator.counter = 8
            #expect(try await server.signIn(by: authenticator).status == 200)
        }
    }

    @Test func `answers a challenge once from fifty at a time`() async throws {
        try await PasskeyClient.start().use { server in
            let authenticator = try await PasskeyClient(server).authenticator()
            let options = try await server.passkeyOptions()
            let credential = try authenticator.get(options["options"] ?? .null)
            let codes = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 1...50 {
                    group.addTask { try await server.signInByPasskey(options.text("challenge_id"), credential).code }
                }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(codes.count(where: \.isEmpty) == 1)
            #expect(codes.count { $0 == "webauthn_challenge_not_found" } == 49, "\(codes)")
        }
    }

    @Test func `signs in once with one count of the key, from two challenges at a time`() async throws {
        try await PasskeyClient.start().use { server in
            var authenticator = try await PasskeyClient(server).authenticator()
            authenticator.counter = 1
            let made = authenticator
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 1...4 { group.addTask { try await server.signIn(by: made).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1, "\(statuses)")
        }
    }

    @Test func `refuses wrong signatures, handles and keys, and locks after five`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let authenticator = try await ada.authenticator()
            let bob = try await PasskeyClient(server, "bob@example.org")
            var answers: [SignInServer.Answer] = []
            var wrong = authenticator
            wrong.damage = 1
            answers.append(try await server.signIn(by: wrong))
            wrong = authenticator
            wrong.userHandle = Array(bob.userID.utf8)
            answers.append(try await server.signIn(by: wrong))
            wrong.userHandle = []
            answers.append(try await server.signIn(by: wrong))
            wrong = authenticator
            wrong.flags.insert([.backupEligible, .backedUp])
            answers.append(try await server.signIn(by: wrong))
            // One that nobody has registered gets the same answer.
            answers.append(try await server.signIn(by: try SoftAuthenticator()))
            #expect(Set(answers.map { $0.json.description }).count == 1)
            #expect(answers[0].status == 400)
            #expect(answers[0].code == "webauthn_verification_failed")
            #expect(try await server.signIn(by: authenticator).status == 200)
            wrong = authenticator
            wrong.damage = 1
            for _ in 1...5 { #expect(try await server.signIn(by: wrong).status == 400) }
            let locked = try await server.signIn(by: authenticator)
            #expect(locked.status == 429)
            #expect(locked.code == "over_request_rate_limit")
            // The password is another matter.
            #expect(try await server.signIn("ada@example.org").status == 200)
        }
    }

    @Test func `lets in nobody who is banned, deleted or not confirmed`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let authenticator = try await ada.authenticator()
            try server.application.execute("UPDATE auth.users SET email_confirmed_at = NULL")
            #expect(try await server.signIn(by: authenticator).code == "email_not_confirmed")
            try server.application.execute(
                "UPDATE auth.users SET email_confirmed_at = now(), banned_until = now() + interval '1 day'"
            )
            let banned = try await server.signIn(by: authenticator)
            #expect(banned.status == 403)
            #expect(banned.code == "user_banned")
            try server.application.execute("UPDATE auth.users SET banned_until = NULL")
            #expect(try await server.admin(.delete, "/\(ada.userID)").status == 200)
            #expect(try await server.signIn(by: authenticator).code == "webauthn_verification_failed")
            #expect(try server.value("SELECT count(*)::text FROM auth.webauthn_credentials") == "0")
        }
    }

    @Test func `limits the challenges of an address`() async throws {
        try await PasskeyClient.start { $0.passkeys.challengesPerAddress = 1 }.use { server in
            // The tests' address is private: it stands for ten.
            for _ in 1...10 { #expect(try await server.passkeyOptions().status == 200) }
            let refused = try await server.passkeyOptions()
            #expect(refused.status == 429)
            #expect(refused.response.headers["Retry-After"] != nil)
        }
    }

    @Test func `accepts apps on Apple's systems only where some are named`() async throws {
        let server = try await PasskeyClient.start { settings in
            settings.passkeys.origins = ["https://www.app.example", "android:apk-key-hash:abc"]
        }
        var authenticator = try SoftAuthenticator()
        authenticator.origin = "https://app.example"
        let ada = try await PasskeyClient(server)
        #expect(try await ada.register(authenticator).status == 400)
        authenticator.origin = "android:apk-key-hash:abc"
        #expect(try await ada.register(authenticator).status == 200)
        await server.stop()

        try await PasskeyClient.start { settings in
            settings.passkeys.origins = ["https://www.app.example"]
            settings.passkeys.appleApps = ["ABCDE12345.com.example.app"]
        }.use { apple in
            authenticator.origin = "https://app.example"
            #expect(try await PasskeyClient(apple).register(authenticator).status == 200)
            let page = try await apple.send(.get, "/.well-known/apple-app-site-association")
            #expect(page.json == ["webcredentials": ["apps": ["ABCDE12345.com.example.app"]]])
        }
    }

    @Test func `answers 400 to what is no credential`() async throws {
        try await PasskeyClient.start().use { server in
            let ada = try await PasskeyClient(server)
            let options = try await ada.registrationOptions()["options"] ?? .null
            let right = try SoftAuthenticator().create(options)
            for path in ["", "id", "rawId", "response"] {
                var spoiled = right.object ?? [:]
                if path.isEmpty { spoiled = [:] } else { spoiled[path] = path == "response" ? [:] : "" }
                let challenge = try await ada.registrationOptions().text("challenge_id")
                let answer = try await ada.register(challenge, .object(spoiled))
                #expect(answer.status == 400, "\(path): \(answer.json)")
            }
            for body: JSONValue in [
                [:], ["challenge_id": "x", "credential": [:]], ["challenge_id": 1], ["credential": "x"],
            ] {
                let answer = try await server.auth(.post, "/passkeys/authentication/verify", body)
                #expect(answer.status == 400, "\(body): \(answer.json)")
            }
        }
    }
}
