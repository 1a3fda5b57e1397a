import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct UserTests {
    @Test func `changes password, address and own data`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org", data: ["color": "red", "size": 7])
            let token = session.text("access_token")
            let other = try await server.signIn("ada@example.org")
            func change(_ body: JSONValue) async throws -> SignInServer.Answer {
                try await server.auth(.put, "/user", body, token: token)
            }
            let merged = try await change(["data": ["color": nil, "shape": "round"]])
            #expect(merged["user_metadata"]?["color"] == nil)
            #expect(merged["user_metadata"]?["size"] == 7)
            #expect(merged["user_metadata"]?["shape"] == "round")

            #expect(try await change(["app_metadata": ["x": 1]]).code == "not_admin")
            #expect(try await change(["password": .string(SignInServer.password)]).code == "same_password")
            #expect(try await change(["password": "123"]).code == "weak_password")
            #expect(try await change(["password": "another horse"]).status == 200)
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
            // The session that changed it goes on, the others do not.
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
            #expect(try await server.auth(.get, "/user", token: other.text("access_token")).code == "session_not_found")

            _ = try await server.signUp("grace@example.org")
            #expect(try await change(["email": "Grace@example.org"]).code == "email_exists")
            #expect(try await change(["email": "no mail"]).code == "validation_failed")
            let moved = try await change(["email": "Lovelace@Example.org"])
            #expect(moved["email"] == "lovelace@example.org")
            #expect(moved["identities"]?[0]?["identity_data"]?["email"] == "lovelace@example.org")
            #expect(try await server.signIn("lovelace@example.org", "another horse").status == 200)
            #expect(try await server.signIn("ada@example.org", "another horse").code == "invalid_credentials")
        }
    }

    @Test func `ends the sessions that the scope names`() async throws {
        try await SignInServer.start().use { server in
            let first = try await server.signUp("ada@example.org")
            let second = try await server.signIn("ada@example.org")
            let third = try await server.signIn("ada@example.org")
            func isAlive(_ session: SignInServer.Answer) async throws -> Bool {
                try await server.auth(.get, "/user", token: session.text("access_token")).status == 200
            }
            let odd = try await server.auth(.post, "/logout?scope=all", token: first.text("access_token"))
            #expect(odd.code == "validation_failed")
            _ = try await server.auth(.post, "/logout?scope=local", token: first.text("access_token"))
            #expect(try await [isAlive(first), isAlive(second), isAlive(third)] == [false, true, true])
            _ = try await server.auth(.post, "/logout?scope=others", token: second.text("access_token"))
            #expect(try await [isAlive(second), isAlive(third)] == [true, false])
            #expect(try await server.auth(.post, "/logout", token: second.text("access_token")).status == 204)
            #expect(try await !isAlive(second))
            #expect(try server.value("SELECT count(*) FROM auth.refresh_tokens") == "0")
        }
    }

    @Test func `lets people in without a name, who may take one later`() async throws {
        try await SignInServer.start { $0.allowsAnonymousUsers = true }.use { server in
            let session = try await server.auth(.post, "/signup", ["data": ["theme": "dark"]])
            #expect(session.status == 200)
            #expect(session["user"]?["is_anonymous"] == true)
            #expect(session["user"]?["email"] == "")
            #expect(session["user"]?["app_metadata"] == [:])
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["is_anonymous"] == true)
            #expect(claims["amr"]?[0]?["method"] == "anonymous")
            let named = try await server.auth(
                .put,
                "/user",
                ["email": "ada@example.org", "password": "secret12"],
                token: session.text("access_token")
            )
            #expect(named["is_anonymous"] == false)
            #expect(named["identities"]?.array?.count == 1)
            let again = try await server.signIn("ada@example.org", "secret12")
            #expect(again["user"]?["id"] == session["user"]?["id"])
        }
    }

    @Test func `takes addresses of many kinds, one account each`() async throws {
        try await SignInServer.start().use { (server) async throws in
            for email in ["ada+tag@example.org", "ÄDA@bücher.example", "o'brien@example.org", "用户@例子.公司"] {
                #expect(try await server.signUp(email).status == 200, "\(email)")
                #expect(try await server.signUp(email.uppercased()).code == "user_already_exists", "\(email)")
                #expect(try await server.signIn("  \(email.lowercased()) ").status == 200, "\(email)")
            }
            #expect(try await server.signIn("ada@example.org").code == "invalid_credentials")
            #expect(try await server.signIn("%@example.org").code == "invalid_credentials")
            #expect(try server.value("SELECT count(*) FROM auth.users") == "4")
        }
    }

    @Test func `keeps what a token can carry, and takes many removals in a moment`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            func put(_ data: JSONObject) async throws -> SignInServer.Answer {
                try await server.auth(.put, "/user", ["data": .object(data)], token: token)
            }
            let half = JSONValue.string(String(repeating: "x", count: 2000))
            #expect(try await put(["a": half]).status == 200)
            #expect(try await put(["b": half, "c": half]).code == "validation_failed")
            #expect(try await put(["a": .null, "b": half, "c": 1]).status == 200)

            // Each removal used to take time linear in the size of the body: 20 000 of them held the loop for 20 seconds.
            var nulls: JSONObject = [:]
            for number in 0..<20_000 { nulls["member \(number)"] = .some(.null) }
            let stopwatch = Stopwatch()
            let answer = try await put(nulls)
            #expect(answer.status == 200)
            #expect(answer["user_metadata"]?["c"] == 1)
            #expect(answer["user_metadata"]?["a"] == nil)
            #expect(stopwatch.elapsed < .seconds(8))

            // The largest that may be kept still makes a token that opens the door.
            let session = try await server.signIn("ada@example.org")
            #expect(try await server.auth(.get, "/user", token: session.text("access_token")).status == 200)
            let large: JSONValue = ["k": .string(String(repeating: "x", count: 5000))]
            let body: JSONValue = [
                "email": "eve@example.org", "password": .string(SignInServer.password), "data": large,
            ]
            #expect(try await server.auth(.post, "/signup", body).code == "validation_failed")
        }
    }

    /// A name is stored in both spellings where an account has both. Each change could double what it had.
    @Test func `counts what a change stores in both spellings`() async throws {
        try await SignInServer.start().use { server in
            let names: JSONValue = ["first_name": "Ada", "firstName": "Ada"]
            let token = try await server.signUp("ada@example.org", data: names).text("access_token")
            let id = try #require(try server.value("SELECT id FROM auth.users"))
            for (length, status) in [(2500, 400), (1500, 200), (1600, 200), (2100, 400)] {
                let data: JSONValue = ["first_name": .string(String(repeating: "x", count: length))]
                #expect(try await server.auth(.put, "/user", ["data": data], token: token).status == status)
                let byAdministrator = try await server.admin(.put, "/\(id)", ["user_metadata": data])
                #expect(byAdministrator.status == status)
            }
        }
    }

    @Test(arguments: [false, true])
    func `counts changes together that are made at the same moment`(byAdministrator: Bool) async throws {
        try await SignInServer.start().use { server in
            let answer = try await server.signUp("ada@example.org")
            let (token, id) = (answer.text("access_token"), answer["user"]?["id"]?.string ?? "")
            let other = try await SignInServer.start(databaseURL: server.application.databaseURL)
            let blocker = try BlockingConnection.connect(to: server.application.databaseURL)
            try blocker.execute("BEGIN; SELECT FROM auth.users FOR UPDATE")
            let most = JSONValue.string(String(repeating: "x", count: 3000))
            let own = Task { try await server.auth(.put, "/user", ["data": ["one": most]], token: token).status }
            let second = Task {
                byAdministrator
                    ? try await other.admin(.put, "/\(id)", ["user_metadata": ["two": most]]).status
                    : try await other.auth(.put, "/user", ["data": ["two": most]], token: token).status
            }
            try await server.waitForLock(count: 2)
            try blocker.execute("COMMIT")
            let statuses = [try await own.value, try await second.value]
            #expect(statuses.sorted() == [200, 400])
            await other.stop()
            #expect(try server.value("SELECT length(raw_user_meta_data::text) < 4200 FROM auth.users") == "t")
        }
    }

    /// PostgreSQL keeps `1e9` as it is and writes it with nine zeros: thirty megabytes came back for one kilobyte, also
    /// to whoever lists the accounts, and their owner's token was too large to be read.
    @Test(arguments: ["1e20000", "[1E+131000,1e131000]", #"{"deep":[{"x":-1.5e-9000}]}"#, "1e99999999999999999999"])
    func `keeps no number that comes back much longer than it was sent`(number: String) async throws {
        try await SignInServer.start { $0.allowsAnonymousUsers = true }.use { server in
            let data = try JSONParser.parse(Array(#"{"a":\#(number)}"#.utf8))
            #expect(try await server.signUp("eve@example.org", data: data).code == "validation_failed")
            #expect(try await server.auth(.post, "/signup", ["data": data]).code == "validation_failed")
            let token = try await server.signUp("ada@example.org", data: ["rate": 1]).text("access_token")
            #expect(try await server.auth(.put, "/user", ["data": data], token: token).code == "validation_failed")
            let body: JSONValue = ["email": "bob@example.org", "app_metadata": data]
            #expect(try await server.admin(.post, "", body).code == "validation_failed")
            let usual = try JSONParser.parse(Array(#"{"data":{"a":1e3,"b":-2.5E-7,"c":1e300}}"#.utf8))
            #expect(try await server.auth(.put, "/user", usual, token: token).status == 200)
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
        }
    }

    /// Some thousands of them would make a token of a megabyte.
    @Test func `keeps no members without a value`() async throws {
        try await SignInServer.start(mail: MailSettings(.log)) {
            $0.allowsAnonymousUsers = true
            $0.confirmsAtOnce = true
        }.use { server in
            var nulls: JSONObject = ["color": "red"]
            for number in 0..<2000 { nulls["member \(number)"] = .some(.null) }
            let data = JSONValue.object(nulls)
            #expect(try await server.auth(.post, "/signup", ["data": data]).status == 200)
            #expect(try await server.signUp("ada@example.org", data: data).status == 200)
            #expect(try await server.auth(.post, "/otp", ["email": "bob@example.org", "data": data]).status == 200)
            let made = try await server.admin(
                .post,
                "",
                ["email": "eve@example.org", "user_metadata": data, "app_metadata": data]
            )
            #expect(made["app_metadata"]?["color"] == "red")
            #expect(made["app_metadata"]?["provider"] == "email")
            let red = "SELECT count(*) FROM auth.users WHERE raw_user_meta_data ->> 'color' = 'red'"
            #expect(try server.value(red) == "4")
            let sizes = "SELECT max(length(raw_user_meta_data::text || raw_app_meta_data::text)) < 300 FROM auth.users"
            #expect(try server.value(sizes) == "t")
        }
    }

    @Test func `counts wrong current passwords`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            func change(_ current: String) async throws -> SignInServer.Answer {
                let body: JSONValue = ["password": "another horse", "current_password": .string(current)]
                return try await server.auth(.put, "/user", body, token: token)
            }
            for _ in 0..<5 { #expect(try await change("wrong").code == "current_password_invalid") }
            for current in ["wrong", SignInServer.password] {
                #expect(try await change(current).code == "over_request_rate_limit")
            }
            #expect(try await server.signIn("ada@example.org").status == 429)
            try server.application.execute("DELETE FROM swiftlet.login_attempts")
            #expect(try await change(SignInServer.password).status == 200)
        }
    }

    /// A token of another issuer with the same secret, and one from before the account was deleted.
    @Test(arguments: ["deleted_at = now()", "banned_until = now() + interval '1 hour'"])
    func `shows and changes nothing of an account without a way in`(change: String) async throws {
        try await SignInServer.start().use { server in
            let id = try #require(try await server.signUp("ada@example.org")["user"]?["id"]?.string)
            let claims = #"{"sub":"\#(id)","role":"authenticated","exp":4000000000}"#
            let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(claims.utf8))
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
            try server.application.execute("UPDATE auth.users SET \(change)")
            #expect(try await server.auth(.get, "/user", token: token).code == "user_banned")
            #expect(try await server.auth(.put, "/user", ["data": ["x": 1]], token: token).code == "user_banned")
        }
    }

    @Test func `takes blanks for a bad address, not for an anonymous sign-up`() async throws {
        try await SignInServer.start { $0.allowsAnonymousUsers = true }.use { server in
            for blanks in [" ", "\r\n", "\u{2003}", String(repeating: " ", count: 1_000_000)] {
                let body: JSONValue = ["email": .string(blanks), "password": .string(SignInServer.password)]
                let answer = try await server.auth(.post, "/signup", body)
                #expect(answer.code == "validation_failed", "\(answer.json)")
            }
            #expect(try server.value("SELECT count(*) FROM auth.users") == "0")
            #expect(try await server.auth(.post, "/signup", ["email": "", "password": ""]).status == 200)
        }
    }

    @Test func `refuses an address that nobody can have before it looks at it`() async throws {
        try await SignInServer.start().use { (server) async throws in
            let email = JSONValue.string(String(repeating: " ", count: 500_000) + "ada@example.org")
            let body: JSONValue = ["email": email, "password": .string(SignInServer.password)]
            #expect(try await server.auth(.post, "/token?grant_type=password", body).code == "invalid_credentials")
            #expect(try server.value("SELECT count(*) FROM swiftlet.login_attempts") == "0")
        }
    }

    @Test func `ignores whose token comes with a sign-up or sign-in`() async throws {
        try await SignInServer.start().use { server in
            let first = try await server.signUp("ada@example.org")
            for token in [first.text("access_token"), "rubbish", SignInServer.serviceKey] {
                let body: JSONValue = ["email": "ada@example.org", "password": .string(SignInServer.password)]
                let session = try await server.auth(.post, "/token?grant_type=password", body, token: token)
                #expect(session.status == 200)
                #expect(session["user"]?["id"] == first["user"]?["id"])
            }
            try await SignInServer.start { $0.isSignUpDisabled = true }.use { (closed) async throws in
                #expect(try await closed.signUp("x@example.org").code == "signup_disabled")
            }
        }
    }

    @Test func `signs with a configured key, whose public half it shows`() async throws {
        let key = try SigningKey(jwk: JSONParser.parse(Array(TestIssuer(.p256, keyID: "mine").privateKey.utf8)))
        try await SignInServer.start(signingKey: key).use { server in
            let session = try await server.signUp("ada@example.org")
            #expect(try await server.auth(.get, "/user", token: session.text("access_token")).status == 200)
            let page = try await server.auth(.get, "/.well-known/jwks.json")
            #expect(page["keys"]?.array?.count == 1)
            #expect(page["keys"]?[0]?["kid"] == "mine")
            #expect(page["keys"]?[0]?["d"] == nil)
            #expect(page.response.headers.all(.cacheControl) == ["public, max-age=600"])
            let discovered = try await server.auth(.get, "/.well-known/openid-configuration")
            #expect(discovered.status == 200)
            #expect(discovered.text("issuer") == "https://api.example/auth/v1")
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["iss"] == discovered["issuer"])
            #expect(discovered.text("jwks_uri") == "https://api.example/auth/v1/.well-known/jwks.json")
            #expect(discovered["id_token_signing_alg_values_supported"] == ["ES256"])
            #expect(discovered.response.headers.all(.cacheControl) == ["public, max-age=600"])
            let span = Array(session.text("access_token").utf8)
            #expect(try IssuedToken(span.span).keyID == "mine")
            try await SignInServer.start().use { (other) async throws in
                #expect(try await other.auth(.get, "/.well-known/jwks.json").json == ["keys": []])
            }
        }
    }
}
