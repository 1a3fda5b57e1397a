import Foundation
import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletOutbound
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// The operator's own code at the points where GoTrue asks it.
@Suite(.needsDatabase, .hangLimit)
struct HookTests {
    /// Adds a claim of the user's tenant, as multi-tenant apps do.
    private static let tenant = """
        CREATE TABLE public.members (user_id uuid PRIMARY KEY, tenant text NOT NULL);
        CREATE FUNCTION public.add_tenant(event jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
            SELECT jsonb_set(event, '{claims,tenant}', coalesce(
                (SELECT to_jsonb(tenant) FROM public.members WHERE user_id = (event ->> 'user_id')::uuid), '"none"'
            )) || jsonb_build_object('seen', event ->> 'authentication_method')
        $$;
        """

    private static func function(_ name: String) throws -> Hook {
        try #require(Hook(functionURI: "pg-functions://postgres/public/\(name)"))
    }

    private func start(_ point: Hook.Point, _ name: String, _ sql: String) async throws -> SignInServer {
        try await SignInServer.start(sql: sql, hooks: [point: Self.function(name)]) { $0.allowsAnonymousUsers = true }
    }

    @Test func `puts the tenant into every token, at refresh too`() async throws {
        try await start(.customAccessToken, "add_tenant", Self.tenant).use { server in
            let session = try await server.signUp("ada@example.org")
            let id = session["user"]?["id"]?.string ?? ""
            #expect(try server.claims(session.text("access_token"))["tenant"] == "none")
            try server.application.execute("INSERT INTO public.members VALUES ('\(id)', 't1')")
            let next = try await server.refresh(session.text("refresh_token"))
            let claims = try server.claims(next.text("access_token"))
            #expect(claims["tenant"] == "t1")
            #expect(claims["sub"]?.string == id)
            #expect(try await server.auth(.get, "/user", token: next.text("access_token")).status == 200)
        }
    }

    @Test(arguments: [
        (#"jsonb_set(event, '{claims,sub}', '"00000000-0000-4000-8000-000000000001"')"#, 500, "another sub"),
        (#"jsonb_set(event, '{claims,session_id}', '"00000000-0000-4000-8000-000000000001"')"#, 500, "session_id"),
        (#"jsonb_set(event, '{claims,role}', '"service_role"')"#, 500, "an administrator's role"),
        (#"jsonb_set(event, '{claims,role}', '"supabase_admin"')"#, 500, "an administrator's role"),
        (#"jsonb_set(event, '{claims,role}', '["service_role"]')"#, 500, "an administrator's role"),
        (#"jsonb_set(event, '{claims,aal}', '"aal2"')"#, 500, "another aal"),
        (#"jsonb_set(event, '{claims,iss}', '"https://evil.example"')"#, 500, "another iss"),
        ("jsonb_set(event, '{claims,is_anonymous}', 'true')", 500, "another is_anonymous"),
        ("jsonb_set(event, '{claims,exp}', '99999999999')", 500, "a later exp"),
        (#"jsonb_set(event, '{claims,exp}', '"tomorrow"')"#, 500, "a later exp"),
        ("event #- '{claims,exp}'", 500, "lack exp"), ("event #- '{claims,sub}'", 500, "another sub"),
        ("jsonb_set(event, '{claims,role}', 'null')", 500, "lack role"),
        ("'{}'::jsonb", 500, "no claims"), ("NULL::jsonb", 500, "no claims"),
        ("jsonb_build_object('claims', (1 / (random() * 0)::int))", 500, "failed"),
        (#"'{"error":{"http_code":403,"message":"Not on Sundays"}}'::jsonb"#, 403, "Not on Sundays"),
        (#"'{"error":{"http_code":200,"message":"odd"}}'::jsonb"#, 500, "odd"),
    ])
    func `opens nothing for a hook that refuses, fails or lies`(body: String, status: Int, text: String) async throws {
        try await start(.customAccessToken, "hook", Self.hook(body)).use { server in
            let answer = try await server.signUp("ada@example.org")
            #expect(answer.status == status, "\(answer.json)")
            #expect(answer.text("message").contains(text), "\(answer.json)")
            #expect(answer["access_token"] == nil && answer["refresh_token"] == nil)
        }
    }

    private static func hook(_ body: String) -> String {
        """
        CREATE OR REPLACE FUNCTION public.hook(event jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$ SELECT \(body) $$;
        """
    }

    @Test func `lets a hook give another role and a shorter life`() async throws {
        let body = """
            jsonb_set(jsonb_set(event, '{claims,role}', '"clerk"'),
                '{claims,exp}', to_jsonb((event -> 'claims' ->> 'iat')::int + 60))
            """
        try await start(.customAccessToken, "hook", Self.hook(body)).use { server in
            let session = try await server.signUp("ada@example.org")
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["role"] == "clerk")
            #expect(claims["exp"]?.int == claims["iat"]?.int.map { $0 + 60 })
            #expect(session["expires_at"] == claims["exp"])
            #expect((50...60).contains(session["expires_in"]?.int ?? 0))
        }
    }

    @Test func `asks at every entrance, and says which it was`() async throws {
        let body = """
            jsonb_set(event, '{claims,entrance}', event -> 'authentication_method')
            """
        try await start(.customAccessToken, "hook", Self.hook(body)).use { server in
            func entrance(_ answer: SignInServer.Answer) throws -> JSONValue? {
                try server.claims(answer.text("access_token"))["entrance"]
            }
            let session = try await server.signUp("ada@example.org")
            #expect(try entrance(session) == "password")
            #expect(try entrance(await server.signIn("ada@example.org")) == "password")
            #expect(try entrance(await server.refresh(session.text("refresh_token"))) == "token_refresh")
            #expect(try entrance(await server.auth(.post, "/signup", [:])) == "anonymous")
            let login = try await server.send(
                .post,
                "/mobile-auth/login",
                ["email": "ada@example.org", "password": .string(SignInServer.password)]
            )
            #expect(try entrance(login) == "password", "\(login.json)")
            let refresh = try await server.send(
                .post,
                "/mobile-auth/refresh",
                ["refresh_token": .string(login.text("refresh_token"))]
            )
            #expect(try entrance(refresh) == "token_refresh", "\(refresh.json)")
            var client = FactorClient(server, session)
            _ = try await client.raise()
            #expect(try server.claims(client.token)["entrance"] == "totp")
        }
    }

    @Test func `keeps the session while a hook is broken`() async throws {
        try await start(.customAccessToken, "hook", Self.hook("event")).use { server in
            let token = try await server.signUp("ada@example.org").text("refresh_token")
            try server.application.execute(Self.hook("NULL::jsonb"))
            #expect(try await server.refresh(token).status == 500)
            try server.application.execute("DROP FUNCTION public.hook")
            #expect(try await server.refresh(token).status == 500)
            try server.application.execute(Self.hook("event"))
            #expect(try await server.refresh(token).status == 200)
        }
    }

    @Test func `waits for a slow function only so long`() async throws {
        let sql = """
            CREATE FUNCTION public.hook(event jsonb) RETURNS jsonb LANGUAGE sql AS $$
                SELECT event FROM pg_sleep(20)
            $$;
            """
        #expect(HookLimits().function == .seconds(2))
        try await SignInServer.start(sql: sql, hooks: [.customAccessToken: Self.function("hook")]) {
            $0.hookLimits.function = .milliseconds(50)
        }.use { server in
            let answer = try await server.signUp("ada@example.org")
            #expect(answer.status == 500)
            #expect(answer.text("message").contains("too long"), "\(answer.json)")
        }
    }

    @Test func `makes no account that the hook does not want`() async throws {
        let sql = """
            CREATE FUNCTION public.hook(event jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
                SELECT CASE WHEN event -> 'user' ->> 'email' LIKE '%@example.org' THEN '{}'::jsonb
                ELSE '{"error":{"http_code":400,"message":"Only for example.org"}}' END
            $$;
            """
        try await start(.beforeUserCreated, "hook", sql).use { server in
            #expect(try await server.signUp("ada@example.org").status == 200)
            let refused = try await server.signUp("eve@evil.example")
            #expect(refused.status == 400)
            #expect(refused.text("message") == "Only for example.org")
            // Neither by an administrator's link, nor anonymously.
            let link = try await server.auth(
                .post,
                "/admin/generate_link",
                ["type": "invite", "email": "eve@evil.example"],
                token: SignInServer.serviceKey
            )
            #expect(link.text("message") == "Only for example.org", "\(link.json)")
            #expect(try await server.auth(.post, "/signup", [:]).text("message") == "Only for example.org")
            // What an administrator makes is made.
            #expect(try await server.admin(.post, "", ["email": "bob@evil.example"]).status == 200)
            #expect(try server.value("SELECT count(*) FROM auth.users") == "2")
        }
    }

    @Test func `lets a hook count wrong passwords, and end the sessions`() async throws {
        let sql = """
            CREATE TABLE public.failures (user_id uuid);
            CREATE FUNCTION public.hook(event jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
            BEGIN
                IF NOT (event ->> 'valid')::boolean THEN
                    INSERT INTO public.failures VALUES ((event ->> 'user_id')::uuid);
                END IF;
                IF (SELECT count(*) FROM public.failures) >= 2 THEN
                    RETURN '{"decision":"reject","message":"Call us","should_logout_user":true}';
                END IF;
                RETURN '{"decision":"continue"}';
            END $$;
            """
        try await start(.passwordVerificationAttempt, "hook", sql).use { server in
            let session = try await server.signUp("ada@example.org")
            #expect(try await server.signIn("ada@example.org", "wrong").text("message") == "Invalid login credentials")
            let rejected = try await server.signIn("ada@example.org", "wrong")
            #expect(rejected.status == 400)
            #expect(rejected.text("message") == "Call us")
            #expect(try await server.signIn("ada@example.org").text("message") == "Call us")
            #expect(try await server.refresh(session.text("refresh_token")).status == 400)
            #expect(try await server.signIn("nobody@example.org").text("message") == "Invalid login credentials")
        }
    }

    @Test func `ends all sessions when a hook rejects a second factor`() async throws {
        let sql = """
            CREATE FUNCTION public.hook(event jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
                SELECT CASE WHEN (event ->> 'valid')::boolean THEN '{"decision":"continue"}'::jsonb
                ELSE '{"decision":"reject","message":"Enough"}' END
            $$;
            """
        try await start(.factorVerificationAttempt, "hook", sql).use { server in
            let ada = try await FactorClient(server)
            let (id, totp) = try await ada.enroll()
            let challenge = try await ada.challenge(id)
            let rejected = try await ada.verify(id, challenge, try ada.wrongCode(totp))
            #expect(rejected.status == 403)
            #expect(rejected.code == "mfa_verification_rejected")
            #expect(rejected.text("message") == "Enough")
            #expect(try await server.auth(.get, "/user", token: ada.token).code == "session_not_found")
            var again = FactorClient(server, try await server.signIn("ada@example.org"))
            let right = try await again.verify(id, try await again.challenge(id), try again.code(totp))
            #expect(right.status == 200)
            again.token = right.text("access_token")
        }
    }

    // MARK: Over HTTP

    @Test func `asks a service with a signature of each key`() async throws {
        let web = try PythonServer.start("web_server.py")
        let base = "http://localhost:\(web.port("http"))"
        let keys = try ["a", "b"].map { try HMACKey(Secret(String(repeating: $0, count: 32))) }
        try await SignInServer.start(
            hooks: [.beforeUserCreated: .service(url: "\(base)/hook", keys: keys)]
        ) { $0.hookLimits.service = .milliseconds(500) }.use { server in
            func put(_ body: String, _ status: Int, _ more: String = "") async throws {
                _ = try await TestHTTP.engine.send(
                    HTTPRequest("POST", "\(base)/__put?path=/hook&status=\(status)\(more)", body: Array(body.utf8))
                )
            }
            try await put("", 200)
            #expect(try await server.signUp("ada@example.org").status == 200)
            let last = try JSONParser.parse(
                try await TestHTTP.engine.send(HTTPRequest("GET", "\(base)/__last?path=/hook")).body
            )
            let body = last["body"]?.string ?? ""
            let payload = try JSONParser.parse(Array(body.utf8))
            #expect(payload["metadata"]?["name"] == "before-user-created")
            #expect(payload["user"]?["email"] == "ada@example.org")
            let headers = try #require(last["headers"]?.object)
            let signed = "\(headers["webhook-id"]?.string ?? "").\(headers["webhook-timestamp"]?.string ?? "").\(body)"
            let wanted = try keys.map { "v1," + Data(try $0.authenticate(Array(signed.utf8))).base64EncodedString() }
            #expect(headers["webhook-signature"]?.string == wanted.joined(separator: ", "))
            for (body, status, answer, code) in [
                ("", 500, 500, "unexpected_failure"), ("[]", 403, 500, "unexpected_failure"),
                ("text", 200, 400, "hook_payload_invalid_content_type"),
                (String(repeating: "x", count: 300_000), 200, 422, "hook_payload_over_size_limit"),
            ] {
                try await put(body, status)
                let refused = try await server.signUp("bob@example.org")
                #expect(refused.status == answer, "\(refused.json)")
                #expect(refused.code == code)
            }
            func count() async throws -> String {
                let answer = try await TestHTTP.engine.send(HTTPRequest("GET", "\(base)/__count?path=/hook"))
                return String(decoding: answer.body, as: UTF8.self)
            }
            try await put("", 200, "&busy=3")
            #expect(try await server.signUp("bob@example.org").code == "unexpected_failure")
            #expect(try await count() == "3")
            try await put("", 503)
            #expect(try await server.signUp("bob@example.org").code == "unexpected_failure")
            #expect(try await count() == "1")
            try await put("", 200, "&busy=2")
            #expect(try await server.signUp("eve@example.org").status == 200)
            #expect(try await count() == "3")
            try await put("", 200, "&delay=3")
            let late = try await server.signUp("bob@example.org")
            #expect(late.status == 422)
            #expect(late.code == "hook_timeout")
            #expect(HookLimits().service == .seconds(5))
            #expect(try server.value("SELECT count(*) FROM auth.users") == "2")
        }
    }

    /// Takes the two pauses of a second between three attempts.
    @Test func `asks a service that is gone three times, if there is time`() async throws {
        for (seconds, code) in [(4, "hook_timeout_after_retry"), (1, "unexpected_failure")] {
            // Nobody listens at port 1.
            try await SignInServer.start(
                hooks: [.beforeUserCreated: .service(url: "http://localhost:1/hook", keys: [])]
            ) { $0.hookLimits.service = .seconds(seconds) }.use { (server) async throws in
                #expect(try await server.signUp("ada@example.org").code == code)
            }
        }
    }

    @Test(arguments: [
        "pg-functions://postgres/public/hook; DROP TABLE x", "pg-functions://postgres/public/a\"b",
        "pg-functions://postgres/public", "https://hooks.example", "pg-functions://postgres/public/a/b",
    ])
    func `knows no function by another name`(uri: String) {
        #expect(Hook(functionURI: uri) == nil)
    }
}
