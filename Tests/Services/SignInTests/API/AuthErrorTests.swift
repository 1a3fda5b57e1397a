import SwiftletAuth
import SwiftletBytes
import Foundation
import SwiftletHTTP
import SwiftletJSON
import Logging
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct AuthErrorTests {
    @Test(arguments: ["/auth/v1/token?grant_type=password", "/mobile-auth/login"])
    func `a client that left is logged as no error`(target: String) async throws {
        let record = LogRecord()
        try await SignInServer.start(logger: record.logger).use { server in
            let blocker = try BlockingConnection.connect(to: server.application.databaseURL)
            try blocker.execute("BEGIN; LOCK TABLE auth.users")
            let body: JSONValue = ["email": "a@b.co", "password": "secret12"]
            let leaving = Task { try await server.application.send(.post, target, body.description) }
            try await Task.sleep(for: .milliseconds(500))
            leaving.cancel()
            #expect(try await leaving.value.status == 499)
            try blocker.execute("ROLLBACK")
            #expect(record.lines.allSatisfy { $0.level < .warning }, "\(record.text)")
        }
    }

    @Test func `says what a trigger of the app refuses, in the words of either version`() async throws {
        try await SignInServer.start().use { server in
            try server.application.execute(
                """
                CREATE FUNCTION admit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                    IF NEW.email LIKE '%@blocked.example' THEN RAISE EXCEPTION 'domain blocked'; END IF;
                    IF NEW.email LIKE '%@closed.example' THEN RAISE SQLSTATE 'PT403' USING MESSAGE = 'closed'; END IF;
                    RETURN NEW;
                END $$;
                CREATE TRIGGER admit BEFORE INSERT ON auth.users FOR EACH ROW EXECUTE FUNCTION admit()
                """
            )
            let refused = try await server.signUp("a@blocked.example")
            #expect(refused.status == 500 && refused.code == "unexpected_failure")
            #expect(refused["message"] == "Database error saving new user")
            let body: JSONValue = ["email": "a@blocked.example", "password": "secret-word-1"]
            let plain = try await server.auth(.post, "/signup", body, headers: [])
            #expect(plain.status == 500 && plain["code"] == "P0001" && plain["message"] == "domain blocked")
            let closed: JSONValue = ["email": "a@closed.example", "password": "secret-word-1"]
            #expect(try await server.auth(.post, "/signup", closed, headers: []).status == 403)
        }
    }

    /// Method and target, body, status, code.
    private static let refusals: [(String, String, String, Int, String)] = [
        ("POST", "/token?grant_type=password", "{", 400, "bad_json"),
        ("POST", "/token?grant_type=password", "[1]", 400, "bad_json"),
        ("POST", "/token?grant_type=password", #"{"email":7,"password":"x"}"#, 400, "bad_json"),
        ("POST", "/token?grant_type=password", "", 400, "validation_failed"),
        ("POST", "/token?grant_type=password", #"{"email":null}"#, 400, "validation_failed"),
        (
            "POST", "/token?grant_type=password", #"{"email":"a@b.co","phone":"1","password":"x"}"#, 400,
            "validation_failed"
        ),
        ("POST", "/token?grant_type=password", #"{"phone":"1","password":"x"}"#, 400, "phone_provider_disabled"),
        ("POST", "/token?grant_type=password", #"{"email":"a@b.co"}"#, 400, "invalid_credentials"),
        ("POST", "/token?grant_type=password", #"{"email":"a@b.co","password":"wrong1"}"#, 400, "invalid_credentials"),
        ("POST", "/token", "{}", 400, "invalid_credentials"),
        ("POST", "/token?grant_type=magic", "{}", 400, "invalid_credentials"),
        ("POST", "/token?grant_type=refresh_token", "{}", 400, "invalid_request"),
        ("POST", "/token?grant_type=refresh_token", #"{"refresh_token":null}"#, 400, "invalid_request"),
        ("POST", "/token?grant_type=refresh_token", #"{"refresh_token":"x"}"#, 400, "refresh_token_not_found"),
        ("POST", "/token?grant_type=id_token", "{}", 400, "invalid request"),
        ("POST", "/token?grant_type=id_token", #"{"id_token":"x","provider":"apple"}"#, 400, "provider_disabled"),
        ("POST", "/token?grant_type=id_token", #"{"id_token":"x","provider":"mine"}"#, 400, "validation_failed"),
        ("POST", "/signup", #"{"email":"a@b.co"}"#, 400, "validation_failed"),
        ("POST", "/signup", #"{"email":"a b@c.co","password":"secret12"}"#, 400, "validation_failed"),
        ("POST", "/signup", #"{"email":"a@b.co\r\nBcc: x@y.z","password":"secret12"}"#, 400, "validation_failed"),
        ("POST", "/signup", #"{"email":"a@b.co","password":"12345"}"#, 422, "weak_password"),
        (
            "POST", "/signup", #"{"email":"a@b.co","password":"\#(String(repeating: "é", count: 37))"}"#, 400,
            "validation_failed"
        ),
        ("POST", "/signup", #"{"email":"a@b.co","password":"abc\u0000def"}"#, 400, "validation_failed"),
        (
            "POST", "/signup", #"{"email":"z@b.co","password":"secret12","data":{"x":"\u0000"}}"#, 400,
            "validation_failed"
        ),
        ("POST", "/signup", #"{"phone":"123","password":"secret12"}"#, 400, "phone_provider_disabled"),
        ("POST", "/signup", "{}", 422, "anonymous_provider_disabled"),
        ("POST", "/signup", #"{"email":"KNOWN@example.org","password":"secret12"}"#, 422, "user_already_exists"),
        ("GET", "/user", "", 401, "no_authorization"),
        ("POST", "/logout", "", 401, "no_authorization"),
        ("PUT", "/user", "{}", 401, "no_authorization"),
        ("GET", "/admin/users", "", 401, "no_authorization"),
        ("POST", "/recover", #"{"email":"a@b.co"}"#, 422, "email_provider_disabled"),
        ("POST", "/recover", "{}", 400, "validation_failed"),
        ("POST", "/otp", "{}", 400, "validation_failed"),
        ("POST", "/resend", #"{"email":"a@b.co","type":"sms"}"#, 400, "validation_failed"),
        ("POST", "/resend", #"{"phone":"491511234567","type":"signup"}"#, 400, "validation_failed"),
        ("POST", "/resend", #"{"type":"email_change"}"#, 400, "validation_failed"),
        ("POST", "/resend", #"{"email":"a@b.co","phone":"491511234567","type":"sms"}"#, 400, "validation_failed"),
        ("POST", "/verify", "{}", 400, "validation_failed"),
        ("POST", "/verify", "null", 400, "validation_failed"),
        ("POST", "/verify", #"{"type":"signup"}"#, 400, "validation_failed"),
        ("POST", "/verify", #"{"type":"signup","token":"1","token_hash":"x"}"#, 400, "validation_failed"),
        ("POST", "/verify", #"{"type":"signup","token":"123456"}"#, 400, "validation_failed"),
        ("POST", "/verify", #"{"type":"signup","token":"123456","email":"bad"}"#, 422, "validation_failed"),
        ("POST", "/verify", #"{"type":"bogus","token":"123456","email":"a@b.co"}"#, 400, "validation_failed"),
        ("GET", "/verify?type=signup", "", 400, "validation_failed"),
        ("GET", "/verify?token=x", "", 400, "validation_failed"),
        ("GET", "/nothing", "", 404, "not_found"),
        ("DELETE", "/token", "", 405, "method_not_allowed"),
    ]

    @Test func `refuses in both shapes`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("known@example.org")
            for (method, target, body, status, code) in Self.refusals {
                let mark: Comment = "\(method) \(target) \(body)"
                for isVersioned in [true, false] {
                    let response = try await server.application.send(
                        SwiftletHTTP.Method(rawValue: method),
                        "/auth/v1\(target)",
                        body,
                        headers: isVersioned ? [("X-Supabase-Api-Version", "2024-01-01")] : []
                    )
                    let json = try JSONParser.parse(response.body)
                    #expect(response.status.rawValue == status, mark)
                    #expect(response.headers["x-sb-error-code"] == code, mark)
                    #expect(response.headers.all(.wwwAuthenticate) == (status == 401 ? ["Bearer"] : []), mark)
                    let exposed = response.headers.all(.accessControlExposeHeaders)
                    #expect(exposed.count == 1)
                    #expect(exposed.first?.contains("retry-after") == true)
                    #expect(exposed.first?.contains("x-sb-error-code") == true)
                    if json["error"] != nil {
                        #expect(json["error"]?.string == code, mark)
                        #expect(json["error_description"]?.string?.isEmpty == false, mark)
                        #expect(json["code"] == nil, mark)
                    } else if isVersioned {
                        #expect(json["code"]?.string == code, mark)
                        #expect(json["message"]?.string?.isEmpty == false, mark)
                        #expect(response.headers["X-Supabase-Api-Version"] == "2024-01-01", mark)
                    } else {
                        #expect(json["code"]?.int == status, mark)
                        #expect(json["error_code"]?.string == code, mark)
                        #expect(json["msg"]?.string?.isEmpty == false, mark)
                        #expect(response.headers["X-Supabase-Api-Version"] == nil, mark)
                    }
                    if code == "weak_password" { #expect(json["weak_password"] == ["reasons": ["length"]]) }
                }
            }
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
        }
    }

    @Test func `says which methods a path has, and refuses huge bodies`() async throws {
        try await SignInServer.start().use { server in
            let wrong = try await server.auth(.delete, "/token")
            #expect(wrong.response.headers[.allow]?.contains("POST") == true)
            var limits = RequestLimits()
            limits.bodyBytes = 4_194_304
            let request = try Request(
                method: .post,
                target: "/auth/v1/signup",
                body: [UInt8](repeating: 0x20, count: 1_048_577),
                limits: limits
            )
            let huge = await server.application.send(request)
            #expect(huge.status == .contentTooLarge)
            #expect(huge.headers["x-sb-error-code"] == "request_entity_too_large")
        }
    }

    /// What the listener hands over when it has read the head of such a request.
    private func tooLarge(_ target: String, _ headers: [(Headers.Name, String)] = []) throws -> Request {
        var message = "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n"
        for (name, value) in headers { message += "\(name.text): \(value)\r\n" }
        var parser = RequestParser(limits: RequestLimits())
        let progress = try parser.parse(Array((message + "\r\n").utf8).span)
        guard case .tooLarge(let request) = progress else { throw CancellationError() }
        return request
    }

    @Test(arguments: ["/token?grant_type=password", "/user", "/nowhere"])
    func `answers bodies that the listener refuses as GoTrue does, so that browsers can read it`(
        path: String
    ) async throws {
        try await SignInServer.start().use { server in
            let origin = (Headers.Name.origin, "https://app.example")
            let request = try tooLarge("/auth/v1" + path, [("X-Supabase-Api-Version", "2024-01-01"), origin])
            let versioned = await server.application.application.refuseContent(of: request)
            #expect(versioned.status == .contentTooLarge)
            let json = try JSONParser.parse(versioned.body)
            #expect(json == ["code": "request_entity_too_large", "message": "Request body too large"])
            #expect(versioned.headers["X-Supabase-Api-Version"] == "2024-01-01")
            #expect(versioned.headers["x-sb-error-code"] == "request_entity_too_large")
            #expect(versioned.headers[.accessControlAllowOrigin] == "https://app.example")
            #expect(versioned.headers[.accessControlExposeHeaders]?.contains("x-sb-error-code") == true)
            #expect(versioned.headers[.xRequestID]?.isEmpty == false)

            let old = await server.application.application.refuseContent(of: try tooLarge("/auth/v1" + path, [origin]))
            #expect(old.status == .contentTooLarge)
            #expect(old.headers["X-Supabase-Api-Version"] == nil)
            let body = try JSONParser.parse(old.body)
            #expect(body["code"] == 413)
            #expect(body["error_code"] == "request_entity_too_large")
            #expect(body["msg"] != nil)
        }
    }

    @Test func `answers refused bodies elsewhere in the shape of the place, before it asks who calls`() async throws {
        try await SignInServer.start().use { server in
            let mobile = await server.application.application.refuseContent(of: try tooLarge("/api/mobile-auth/login"))
            #expect(mobile.status == .contentTooLarge)
            #expect(
                try JSONParser.parse(mobile.body) == [
                    "error": "invalid_request", "error_description": "Request body too large",
                ]
            )
            for path in ["/functions/v1/tasks", "/health", "/", "/nowhere"] {
                let answer = await server.application.application.refuseContent(
                    of: try tooLarge(path, [(.origin, "https://app.example")])
                )
                #expect(answer.status == .contentTooLarge, "\(path)")
                #expect(try JSONParser.parse(answer.body)["code"] == "PAYLOAD_TOO_LARGE", "\(path)")
                #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example", "\(path)")
            }
        }
    }

    @Test func `locks an account after five wrong passwords, with the wait in seconds`() async throws {
        try await SignInServer.start().use { server in
            _ = try await server.signUp("ada@example.org")
            for _ in 0..<5 {
                #expect(try await server.signIn("ada@example.org", "wrong-password").code == "invalid_credentials")
            }
            let locked = try await server.signIn("Ada@Example.org")
            #expect(locked.status == 429)
            #expect(locked.code == "over_request_rate_limit")
            #expect(Int(locked.response.headers[.retryAfter] ?? "") ?? 0 > 1700)
            let mobile = try await server.send(
                .post,
                "/api/mobile-auth/login",
                ["email": "ada@example.org", "password": .string(SignInServer.password)]
            )
            #expect(mobile.status == 429)
            #expect(mobile.text("error") == "account_locked")
            #expect(mobile.text("error_description") == "Too many failed login attempts. Try again in 30 minutes.")
        }
    }

    @Test func `believes no token but ours`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            let id = try #require(session["user"]?["id"]?.string)
            let now = Int(Date().timeIntervalSince1970)
            let payload = #"{"sub":"\#(id)","role":"service_role","aud":"authenticated","exp":\#(now + 600)}"#
            func forged(_ header: String, _ signature: String = "AAAA") -> String {
                [header, payload].map { Base64URL.encode(Array($0.utf8).span) }.joined(separator: ".") + "." + signature
            }
            let good = session.text("access_token").split(separator: ".").map(String.init)
            let tokens = [
                forged(#"{"alg":"none"}"#), forged(#"{"alg":"none"}"#, ""), forged(#"{"alg":"HS256"}"#),
                forged(#"{"alg":"RS256","kid":"../../etc/passwd"}"#),
                forged(#"{"alg":"ES256","kid":"'; DROP TABLE x; --"}"#),
                forged(#"{"alg":"HS512"}"#),
                forged(#"{"alg":"RS256","kid":"\#(String(repeating: "k", count: 4000))"}"#),
                "x.y.z", "..", good[0] + "." + Base64URL.encode(Array(payload.utf8).span) + "." + good[2],
                String(repeating: "A", count: 9000),
            ]
            for token in tokens {
                for path in ["/user", "/admin/users"] {
                    let answer = try await server.auth(.get, path, token: token)
                    #expect(answer.status == 403, "\(token.prefix(60))")
                    #expect(answer.code == "bad_jwt", "\(token.prefix(60))")
                }
            }
            func signed(_ claims: String) throws -> String {
                try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(claims.utf8))
            }
            for (claims, status, code) in [
                (#"{"role":"anon","iss":"supabase","exp":\#(now + 600)}"#, 403, "bad_jwt"),
                (#"{"sub":"17","role":"authenticated","exp":\#(now + 600)}"#, 400, "bad_jwt"),
                (#"{"sub":"\#(id)","session_id":"x","exp":\#(now + 600)}"#, 403, "bad_jwt"),
                (#"{"sub":"\#(id)","exp":\#(now - 1)}"#, 403, "bad_jwt"),
                (#"{"sub":"\#(RandomID.make())","exp":\#(now + 600)}"#, 403, "user_not_found"),
                (
                    #"{"sub":"\#(id)","session_id":"\#(RandomID.make())","exp":\#(now + 600)}"#, 403,
                    "session_not_found"
                ),
            ] {
                let answer = try await server.auth(.get, "/user", token: signed(claims))
                #expect(answer.status == status, "\(claims)")
                #expect(answer.code == code, "\(claims)")
            }
            // As if there were no session.
            for session in ["", "00000000-0000-0000-0000-000000000000"] {
                let claims = #"{"sub":"\#(id)","session_id":"\#(session)","exp":\#(now + 600)}"#
                #expect(try await server.auth(.get, "/user", token: signed(claims)).status == 200, "\(claims)")
            }
            // A user is no administrator, whatever their own data say.
            _ = try await server.auth(
                .put,
                "/user",
                ["data": ["role": "service_role", "tenant_id": "acme", "app_metadata": ["tenantId": "acme"]]],
                token: session.text("access_token")
            )
            let own = try await server.refresh(session.text("refresh_token"))
            #expect(try await server.auth(.get, "/admin/users", token: own.text("access_token")).code == "not_admin")
            let claims = try server.claims(own.text("access_token"))
            #expect(claims["role"] == "authenticated")
            #expect(claims["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(try User(payload: Array(claims.description.utf8)).tenant == nil)
        }
    }

    @Test func `says which characters a password lacks`() async throws {
        try await SignInServer.start { $0.requiredPasswordCharacters = ["abc", "123"] }.use { server in
            func signUp(_ password: String) async throws -> SignInServer.Answer {
                try await server.auth(.post, "/signup", ["email": "ada@example.org", "password": .string(password)])
            }
            let short = try await signUp("ab")
            #expect(short.json["weak_password"] == ["reasons": ["length", "characters"]])
            let each = "Password should contain at least one character of each: abc, 123."
            #expect(short.text("message") == "Password should be at least 6 characters. " + each)
            let letters = try await signUp("abcdef")
            #expect(letters.json["weak_password"] == ["reasons": ["characters"]])
            #expect(letters.text("message") == each)
            #expect(try await signUp("abcde3").status == 200)
        }
    }
}
