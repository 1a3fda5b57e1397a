import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Anonymous accounts whose ids apps choose.
@Suite(.needsDatabase, .hangLimit)
struct DeviceTests {
    private static let id = "d1111111-1111-4111-8111-111111111111"
    private static let other = "d2222222-2222-4222-8222-222222222222"

    @Test func `a new device gets the session of its account, and a secret`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.register(["deviceId": .string(Self.id.uppercased()), "model": "iPhone 16 📱"])
            #expect(made.status == 201)
            #expect(made["token_type"] == "bearer")
            #expect(made["expires_in"] == 3600)
            #expect(made.text("device_secret").count == 64)
            let user = made["user"]
            #expect(user?["id"]?.string == Self.id)
            #expect(user?["is_anonymous"] == true)
            #expect(user?["app_metadata"]?["device_id"]?.string == Self.id)
            #expect(try server.value("SELECT model FROM devices WHERE id = '\(Self.id)'") == "iPhone 16 📱")
            // The secret itself is nowhere.
            let stored = try server.value("SELECT to_jsonb(d)::text FROM devices AS d") ?? ""
            #expect(!stored.contains(made.text("device_secret")))
            let me = try await server.send(.get, "/devices/me", token: made.text("access_token"))
            #expect(me.status == 200)
            #expect(me["id"]?.string == Self.id)
            #expect(me["model"] == "iPhone 16 📱")
            #expect(me["secret_hash"] == nil)
            #expect(try await server.refresh(made.text("refresh_token")).status == 200)
            let account = try await server.auth(.get, "/user", token: made.text("access_token"))
            #expect(account["id"]?.string == Self.id)
        }
    }

    @Test func `a known device comes back with its secret only`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.register(["deviceId": .string(Self.id), "platform": "ios"])
            let secret = made.text("device_secret")
            let stranger = try await server.register(["deviceId": .string(Self.other)])
            let wrong: [JSONValue] = [
                .null, "", "x", .string(stranger.text("device_secret")), .string(secret + "x"),
                .string(secret.uppercased()),
            ]
            for secret in wrong {
                let answer = try await server.register(["deviceId": .string(Self.id), "deviceSecret": secret])
                #expect(answer.status == 409, "\(secret)")
                #expect(answer.code == "DEVICE_REGISTERED", "\(secret)")
                #expect(answer["access_token"] == nil)
                #expect(answer["device_secret"] == nil)
            }
            let again = try await server.register([
                "device_id": .string(Self.id), "device_secret": .string(secret), "app_version": "2.1",
            ])
            #expect(again.status == 200)
            #expect(again["device_secret"] == nil)
            #expect(again["user"]?["id"]?.string == Self.id)
            let me = try await server.send(.get, "/devices/me", token: again.text("access_token"))
            #expect(me["platform"] == "ios")
            #expect(me["app_version"] == "2.1")
            #expect(try server.value("SELECT count(*) FROM auth.users") == "2")
        }
    }

    @Test func `the id of an account or a person is never taken`() async throws {
        try await SignInServer.start().use { server in
            let ada = try await server.signUp("ada@acme.example")
            let account = ada["user"]?["id"]?.string ?? ""
            try server.application.execute(
                """
                INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme');
                INSERT INTO users (id, tenant_id, email) VALUES ('\(Self.other)', 'acme', 'bea@acme.example');
                """
            )
            for id in [account, account.uppercased(), Self.other] {
                let answer = try await server.register(["deviceId": .string(id)])
                #expect(answer.status == 409, "\(id)")
                #expect(answer.code == "DEVICE_REGISTERED", "\(id)")
            }
            #expect(try server.value("SELECT count(*) FROM devices") == "0")
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
            #expect(try server.value("SELECT count(*) FROM auth.users WHERE is_anonymous") == "0")
            let me = try await server.send(.get, "/devices/me", token: ada.text("access_token"))
            #expect(me.status == 403)
            #expect(me.code == "NO_DEVICE")
        }
    }

    @Test func `one of two devices that register with one id at once wins`() async throws {
        try await SignInServer.start().use { server in
            let answers = try await withThrowingTaskGroup(of: SignInServer.Answer.self) { group in
                for _ in 0..<6 { group.addTask { try await server.register(["deviceId": .string(Self.id)]) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 201 } == 1)
            #expect(answers.count { $0.status == 409 && $0.code == "DEVICE_REGISTERED" } == 5)
        }
    }

    @Test(
        arguments: [
            ("deviceId", .null, "is required"), ("deviceId", "", "is required"), ("deviceId", 5, "must be a string"),
            ("deviceId", "me", "must be a UUID"),
            ("deviceId", "d1111111-1111-4111-8111-11111111111g", "must be a UUID"),
            ("deviceId", "'; DROP TABLE devices; --", "must be a UUID"),
            ("model", .string(String(repeating: "x", count: 101)), "must have at most 100 characters"),
            ("model", .string("a" + String(repeating: "\u{301}", count: 5000)), "must have at most 100 characters"),
            ("model", "a\u{0}b", "must not contain U+0000"), ("platform", ["ios"], "must be a string"),
            ("appVersion", true, "must be a string"), ("deviceSecret", 1, "must be a string"),
        ] as [(String, JSONValue, String)]
    )
    func `a field at fault is named`(field: String, value: JSONValue, reason: String) async throws {
        try await SignInServer.start().use { server in
            var body: JSONObject = ["deviceId": .string(Self.id)]
            body[field] = value
            let answer = try await server.register(.object(body))
            #expect(answer.status == 400)
            #expect(answer.code == "VALIDATION_ERROR")
            #expect(answer["details"]?[field]?.string == reason)
            #expect(try server.value("SELECT count(*) FROM devices") == "0")
        }
    }

    @Test func `a device tells anew what it is, and no more`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.register(["deviceId": .string(Self.id), "platform": "ios", "model": "a"])
            _ = try await server.register(["deviceId": .string(Self.other), "model": "theirs"])
            let token = made.text("access_token")
            let body: JSONValue = ["model": "جوال 📱", "id": .string(Self.other), "secret_hash": "x", "platform": .null]
            let patched = try await server.send(.patch, "/devices/me", body, token: token)
            #expect(patched.status == 200)
            #expect(patched["model"] == "جوال 📱")
            #expect(patched["platform"] == "ios")
            #expect(patched["id"]?.string == Self.id)
            #expect(try server.value("SELECT model FROM devices WHERE id = '\(Self.other)'") == "theirs")
            let long: JSONValue = ["model": .string(String(repeating: "x", count: 101))]
            #expect(try await server.send(.patch, "/devices/me", long, token: token).status == 400)
            for method in [SwiftletHTTP.Method.get, .patch] {
                #expect(try await server.send(method, "/devices/me", [:]).status == 401)
            }
            // Its secret is as it was.
            let secret = made.text("device_secret")
            let again = try await server.register(["deviceId": .string(Self.id), "deviceSecret": .string(secret)])
            #expect(again.status == 200)
        }
    }

    @Test func `a device ends with its account, and its id is free again`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.register(["deviceId": .string(Self.id)])
            #expect(try await server.admin(.delete, "/\(Self.id)").status == 200)
            #expect(try server.value("SELECT count(*) FROM devices") == "0")
            #expect(try await server.send(.get, "/devices/me", token: made.text("access_token")).status == 404)
            let secret = JSONValue.string(made.text("device_secret"))
            let anew = try await server.register(["deviceId": .string(Self.id), "deviceSecret": secret])
            #expect(anew.status == 201)
            #expect(anew["device_secret"] != secret)
        }
    }

    @Test func `a banned device gets no session, and no new one is made where nobody may sign up`() async throws {
        let server = try await SignInServer.start()
        let made = try await server.register(["deviceId": .string(Self.id)])
        try server.application.execute("UPDATE auth.users SET banned_until = now() + interval '1 day'")
        let secret = JSONValue.string(made.text("device_secret"))
        let banned = try await server.register(["deviceId": .string(Self.id), "deviceSecret": secret])
        #expect(banned.status == 400)
        #expect(banned.code == "USER_BANNED")
        #expect(banned["access_token"] == nil)
        await server.stop()
        try await SignInServer.start { $0.isSignUpDisabled = true }.use { closed in
            let refused = try await closed.register(["deviceId": .string(Self.other)])
            #expect(refused.status == 422)
            #expect(refused.code == "SIGNUP_DISABLED")
        }
    }

    @Test func `an address registers as many devices as it may sign up accounts`() async throws {
        try await SignInServer.start().use { server in
            try server.application.execute(
                """
                INSERT INTO swiftlet.login_attempts (subject, failures, attempt_count, last_attempt_at, updated_at)
                SELECT 'sign-ups 203.0.113.9', array_agg(now() AT TIME ZONE 'UTC'), 30, now() AT TIME ZONE 'UTC',
                    now() AT TIME ZONE 'UTC' FROM generate_series(1, 30)
                """
            )
            let from: [(Headers.Name, String)] = [("X-Forwarded-For", "203.0.113.9")]
            let refused = try await server.send(.post, "/devices", ["deviceId": .string(Self.id)], headers: from)
            #expect(refused.status == 429)
            #expect(refused.code == "TOO_MANY_REQUESTS")
            #expect(refused.response.headers[.retryAfter] != nil)
            #expect(try await server.register(["deviceId": .string(Self.id)]).status == 201)
        }
    }
}

extension SignInServer {
    fileprivate func register(_ body: JSONValue) async throws -> Answer {
        try await send(.post, "/devices", body)
    }
}
