import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct MobileTests {
    private static let id = "a0000000-0000-4000-8000-0000000000ff"
    private static let person = """
        INSERT INTO tenants (id, name, slug) VALUES ('acme', 'Acme', 'acme');
        INSERT INTO roles (id, name, code, department, level) VALUES ('r5', 'Director', 'DIRECTOR', 'sales', 5);
        INSERT INTO users (id, tenant_id, email, first_name, last_name, password_hash, role_id, team_id)
        VALUES ('\(id)', 'acme', 'Grace@Hopper.example', 'Grace', 'Hopper', '\(GoTrueDatabase.passwordHash)', 'r5', 't1');
        """

    private func login(
        _ server: SignInServer,
        _ email: String,
        _ password: String = GoTrueDatabase.password,
        path: String = "/mobile-auth/login"
    ) async throws -> SignInServer.Answer {
        try await server.send(.post, path, ["email": .string(email), "password": .string(password)])
    }

    @Test(arguments: ["/mobile-auth", "/api/mobile-auth", "/v1/mobile-auth", "/api/v1/mobile-auth"])
    func `signs in whom only public.users knows, with tenant and role in both spellings`(base: String) async throws {
        try await SignInServer.start(sql: Self.person).use { server in
            let session = try await login(server, " grace@hopper.example", path: "\(base)/login")
            #expect(session.status == 200, "\(session.json)")
            #expect(session["token_type"] == "bearer")
            #expect(session["expires_in"] == 3600)
            #expect(session["expires_at"]?.int != nil)
            #expect(session["user"]?["id"]?.string == Self.id)
            let metadata = session["user"]?["app_metadata"]
            for name in ["tenant_id", "tenantId"] { #expect(metadata?[name] == "acme") }
            for name in ["role_id", "roleId"] { #expect(metadata?[name] == "r5") }
            for name in ["role_level", "roleLevel"] { #expect(metadata?[name] == 5) }
            for name in ["team_id", "teamId"] { #expect(metadata?[name] == "t1") }
            for name in ["is_platform_user", "isPlatformUser"] { #expect(metadata?[name] == false) }
            #expect(session["user"]?["user_metadata"]?["firstName"] == "Grace")
            // Whole seconds for the app.
            #expect(session["user"]?["created_at"]?.string?.utf8.count == 20)
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["app_metadata"] == metadata)
            let user = try User(payload: Array(claims.description.utf8))
            #expect(user.tenant?.rawValue == "acme")
            #expect(user.roleLevel == 5)

            let next = try await server.send(
                .post,
                "\(base)/refresh",
                ["refreshToken": .string(session.text("refresh_token"))]
            )
            #expect(next.status == 200)
            #expect(next["user"]?["app_metadata"] == metadata)
            let again = try await server.send(
                .post,
                "\(base)/refresh",
                ["refresh_token": .string(next.text("refresh_token"))]
            )
            #expect(again.status == 200)
            #expect(
                try server.value("SELECT last_login_at > now() AT TIME ZONE 'UTC' - interval '1 minute' FROM users")
                    == "t"
            )
            #expect(try await login(server, "grace@hopper.example").status == 200)
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
        }
    }

    @Test func `opens no account by the old address and hash that public.users still has`() async throws {
        try await SignInServer.start(sql: Self.person).use { (server) async throws in
            #expect(try await login(server, "grace@hopper.example").status == 200)
            for change: JSONValue in [["email": "new@hopper.example"], ["ban_duration": "1h"]] {
                #expect(try await server.admin(.put, "/\(Self.id)", change).status == 200)
                #expect(try await login(server, "grace@hopper.example").status == 400)
            }
            #expect(try await server.admin(.delete, "/\(Self.id)", ["should_soft_delete": true]).status == 200)
            #expect(try await login(server, "grace@hopper.example").status == 400)
        }
    }

    @Test(arguments: [false, true])
    func `lets nobody in again whose account was deleted`(isSoft: Bool) async throws {
        try await SignInServer.start(
            sql: Self.person + "ALTER TABLE users ALTER COLUMN password_hash SET NOT NULL;"
        ).use { server in
            try server.application.execute(
                """
                INSERT INTO users (id, tenant_id, email, password_hash)
                VALUES ('other', 'acme', 'ada@hopper.example', '\(GoTrueDatabase.passwordHash)')
                """
            )
            #expect(try await login(server, "grace@hopper.example").status == 200)
            let body: JSONValue = ["should_soft_delete": .bool(isSoft)]
            #expect(try await server.admin(.delete, "/\(Self.id)", body).status == 200)
            for path in ["/mobile-auth/login", "/auth/v1/token?grant_type=password"] {
                #expect(try await login(server, "grace@hopper.example", path: path).status == 400)
            }
            #expect(try server.value("SELECT count(*) FROM auth.sessions") == "0")
            // Nobody else's.
            #expect(try server.value("SELECT string_agg(id, ',') FROM users WHERE password_hash <> ''") == "other")
        }
    }

    @Test(arguments: ["DROP TABLE users CASCADE", "ALTER TABLE users DROP COLUMN password_hash"])
    func `deletes accounts where nobody keeps passwords beside them`(sql: String) async throws {
        try await SignInServer.start(sql: sql).use { server in
            for isSoft in [false, true] {
                let session = try await server.signUp("grace\(isSoft)@hopper.example")
                let id = try #require(session["user"]?["id"]?.string)
                let body: JSONValue = ["should_soft_delete": .bool(isSoft)]
                #expect(try await server.admin(.delete, "/\(id)", body).status == 200)
            }
        }
    }

    /// The app refuses the whole user over one member of another type, and takes either spelling of two.
    @Test func `names and pictures are texts, in one spelling or two that agree`() async throws {
        try await SignInServer.start().use { server in
            let data: JSONValue = [
                "avatar_url": ["small": "a.png"], "firstName": 5, "last_name": "Lovelace", "lastName": "L.",
                "color": ["hue": 3],
            ]
            let session = try await server.signUp("ada@example.com", data: data)
            for user in [session["user"], try await login(server, "ada@example.com", SignInServer.password)["user"]] {
                let metadata = try #require(user?["user_metadata"]?.object)
                #expect(metadata["avatar_url"] == nil)
                #expect(metadata["firstName"] == nil)
                #expect(metadata["last_name"] == "Lovelace")
                #expect(metadata["lastName"] == "Lovelace")
                #expect(metadata["color"] == ["hue": 3])
            }
            // Whoever changes one spelling means both.
            for (name, text) in [("lastName", "King"), ("last_name", "Byron")] {
                let data: JSONValue = ["data": .object([name: .string(text)])]
                let user = try await server.auth(.put, "/user", data, token: session.text("access_token"))
                #expect(user["user_metadata"]?["last_name"]?.string == text)
                #expect(user["user_metadata"]?["lastName"]?.string == text)
            }
        }
    }

    @Test func `answers errors as the app reads them`() async throws {
        try await SignInServer.start(sql: Self.person).use { server in
            func post(_ path: String, _ body: String) async throws -> (Int, JSONValue) {
                let response = try await server.application.send(.post, "/mobile-auth\(path)", body)
                return (response.status.rawValue, try JSONParser.parse(response.body))
            }
            let missing: JSONValue = [
                "error": "invalid_request", "error_description": "Email and password are required",
            ]
            #expect(try await post("/login", "{}") == (400, missing))
            #expect(try await post("/login", #"{"email":"","password":"x"}"#) == (400, missing))
            let broken: JSONValue = ["error": "invalid_request", "error_description": "Invalid JSON body"]
            #expect(try await post("/login", "{") == (400, broken))
            let wrong: JSONValue = ["error": "invalid_grant", "error_description": "Invalid login credentials"]
            #expect(try await post("/login", #"{"email":"grace@hopper.example","password":"x"}"#) == (400, wrong))
            #expect(try await post("/login", #"{"email":"nobody@hopper.example","password":"x"}"#) == (400, wrong))
            let noToken: JSONValue = ["error": "invalid_request", "error_description": "refresh_token is required"]
            #expect(try await post("/refresh", "{}") == (400, noToken))
            let unknown = try await post("/refresh", #"{"refresh_token":"x"}"#)
            #expect(unknown.0 == 401)
            #expect(unknown.1["error"] == "invalid_grant")
            #expect(try await post("/logout", "{}") == (404, ["error": "Not found"]))
            let put = try await server.send(.put, "/mobile-auth/login")
            #expect(put.status == 405)
            #expect(put.json == ["error": "Method not allowed"])
            #expect(put.response.headers[.allow]?.contains("POST") == true)
        }
    }

    @Test func `keeps people out who were switched off, at once`() async throws {
        try await SignInServer.start(sql: Self.person).use { server in
            let session = try await login(server, "grace@hopper.example")
            try server.application.execute("UPDATE users SET is_active = false")
            let refused: JSONValue = ["error": "invalid_grant", "error_description": "Account is deactivated"]
            let login = try await login(server, "grace@hopper.example")
            #expect(login.status == 400)
            #expect(login.json == refused)
            let refresh = try await server.send(
                .post,
                "/mobile-auth/refresh",
                ["refresh_token": .string(session.text("refresh_token"))]
            )
            #expect(refresh.status == 401)
            #expect(refresh.json == refused)
            #expect(try await server.auth(.get, "/user", token: session.text("access_token")).code == "user_banned")
            // With the wrong password nobody learns that.
            #expect(
                try await self.login(server, "grace@hopper.example", "x").text("error_description").contains("Invalid")
            )
        }
    }

    @Test func `gives nobody a place by their address`() async throws {
        try await SignInServer.start(sql: Self.person).use { server in
            // The address of somebody who can sign in is taken.
            #expect(try await server.signUp("GRACE@hopper.example").code == "user_already_exists")
            try server.application.execute("UPDATE users SET password_hash = NULL")
            // Without a way in it is free, and says nothing about tenant and role.
            let session = try await server.signUp(
                "grace@hopper.example",
                data: ["tenant_id": "acme", "tenantId": "acme"]
            )
            #expect(session.status == 200)
            let claims = try server.claims(session.text("access_token"))
            #expect(claims["app_metadata"] == ["provider": "email", "providers": ["email"]])
            #expect(try User(payload: Array(claims.description.utf8)).tenant == nil)
        }
    }
}
