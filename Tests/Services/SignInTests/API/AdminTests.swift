import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

@Suite(.needsDatabase, .hangLimit)
struct AdminTests {
    @Test func `names what another account already has`() async throws {
        try await SignInServer.start().use { server in
            let first = try await server.admin(.post, "", ["email": "ada@example.org", "phone": "4915112345678"])
            let second = try await server.admin(.post, "", ["email": "bob@example.org"])
            #expect(first.status == 200)
            #expect(second.status == 200)
            let taken: [(JSONValue, String)] = [
                (["email": "ada@example.org"], "email_exists"), (["phone": "4915112345678"], "phone_exists"),
                (["id": .string(first.text("id")), "email": "new@example.org"], "user_already_exists"),
            ]
            for (fields, code) in taken {
                let refused = try await server.admin(.post, "", fields)
                #expect(refused.status == 422, "\(refused.json)")
                #expect(refused.code == code, "\(refused.json)")
            }
            let changed = try await server.admin(.put, "/\(second.text("id"))", ["phone": "4915112345678"])
            #expect(changed.status == 422, "\(changed.json)")
            #expect(changed.code == "phone_exists", "\(changed.json)")
        }
    }

    @Test(arguments: ["postgres", "supabase_admin", "pg_read_server_files", "nobody_here", "PUBLIC"])
    func `gives nobody a role with power over the server, nor one that does not exist`(role: String) async throws {
        try await SignInServer.start().use { server in
            let own = try #require(try server.value("SELECT current_user"))
            let id = try await server.signUp("ada@example.org")["user"]?["id"]?.string ?? ""
            for role in [role, own] {
                let made = try await server.admin(.post, "", ["email": "bob@example.org", "role": .string(role)])
                let changed = try await server.admin(.put, "/\(id)", ["role": .string(role)])
                for answer in [made, changed] {
                    #expect(answer.status == 422, "\(role) \(answer.json)")
                    #expect(answer.code == "validation_failed", "\(role) \(answer.json)")
                }
            }
            #expect(try server.value("SELECT string_agg(role, ' ') FROM auth.users") == "authenticated")
            for role in ["service_role", "authenticated"] {
                #expect(try await server.admin(.put, "/\(id)", ["role": .string(role)])["role"] == .string(role))
            }
        }
    }

    @Test func `makes, shows, changes, bans and deletes accounts`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.admin(
                .post,
                "",
                [
                    "email": "Ada@example.org", "password": "secret12", "email_confirm": true,
                    "user_metadata": ["firstName": "Ada"], "app_metadata": ["tenant_id": "acme", "role_level": 5],
                ]
            )
            #expect(made.status == 200, "\(made.json)")
            let id = made.text("id")
            #expect(made["app_metadata"]?["provider"] == "email")
            #expect(made["app_metadata"]?["tenantId"] == "acme")
            #expect(try await server.admin(.post, "", ["email": "ada@example.org"]).code == "email_exists")
            #expect(try await server.admin(.post, "", ["password": "secret12"]).code == "validation_failed")
            #expect(try await server.admin(.get, "/\(id)")["email"] == "ada@example.org")
            #expect(try await server.admin(.get, "/17").status == 404)
            #expect(try await server.admin(.get, "/\(RandomID.make())").code == "user_not_found")
            let session = try await server.signIn("ada@example.org", "secret12")
            #expect(session.status == 200)

            let changed = try await server.admin(
                .put,
                "/\(id)",
                ["password": "secret34", "user_metadata": ["lastName": "L"], "app_metadata": ["tenant_id": nil]]
            )
            // Whoever knew the old password is out.
            #expect(
                try await server.auth(.get, "/user", token: session.text("access_token")).code == "session_not_found"
            )
            #expect(changed["user_metadata"]?["firstName"] == "Ada")
            #expect(changed["user_metadata"]?["lastName"] == "L")
            #expect(changed["app_metadata"]?["tenant_id"] == nil)
            let later = try await server.signIn("ada@example.org", "secret34")
            #expect(later.status == 200)

            #expect(try await server.admin(.put, "/\(id)", ["ban_duration": "soon"]).code == "validation_failed")
            #expect(try await server.admin(.put, "/\(id)", ["ban_duration": "1h30m"])["banned_until"] != nil)
            #expect(try await server.signIn("ada@example.org", "secret34").code == "user_banned")
            #expect(try await server.signIn("ada@example.org", "wrong").code == "invalid_credentials")
            #expect(try await server.refresh(session.text("refresh_token")).code == "refresh_token_not_found")
            // Its sessions are refused by name, not ended.
            #expect(try await server.auth(.get, "/user", token: later.text("access_token")).code == "user_banned")
            #expect(try await server.refresh(later.text("refresh_token")).code == "user_banned")
            #expect(try await server.admin(.put, "/\(id)", ["ban_duration": "none"])["banned_until"] == nil)
            #expect(try await server.refresh(later.text("refresh_token")).status == 200)
            #expect(try await server.signIn("ada@example.org", "secret34").status == 200)

            let gone = try await server.admin(.delete, "/\(id)", ["should_soft_delete": true])
            #expect(gone.json == [:])
            #expect(try await server.signIn("ada@example.org", "secret34").code == "invalid_credentials")
            #expect(try await server.signUp("ada@example.org").status == 200)
            #expect(try await server.admin(.delete, "/\(id)", ["should_soft_delete": false]).status == 200)
            #expect(try await server.admin(.delete, "/\(id)").code == "user_not_found")
        }
    }

    /// Rows of the app refer to people by the id in `public.users`.
    @Test func `gives an account the id that its person has already`() async throws {
        try await SignInServer.start().use { server in
            let (ada, bob) = ("a0000000-0000-4000-8000-00000000000a", "b0000000-0000-4000-8000-00000000000b")
            try server.application.execute(
                """
                INSERT INTO users (id, tenant_id, email, password_hash) VALUES
                    (upper('\(ada)'), 'acme', 'Ada@example.org', 'x'), ('\(bob)', 'acme', 'bob@example.org', 'x'),
                    ('17', 'acme', 'eve@example.org', 'x'), ('\(RandomID.make())', 'acme', 'kim@example.org', 'x')
                """
            )
            func create(_ fields: JSONValue) async throws -> String {
                let made = try await server.admin(.post, "", fields)
                #expect(made.status == 200, "\(made.json)")
                #expect(made["identities"]?[0]?["identity_data"]?["sub"] == made["id"])
                return made.text("id")
            }
            #expect(try await create(["email": "ada@Example.org"]) == ada)
            // The id is somebody's by now.
            #expect(try await create(["email": "other@example.org", "id": .string(bob)]) == bob)
            #expect(try await create(["email": "bob@example.org"]) != bob)
            #expect(RandomID.normalized(try await create(["email": "eve@example.org"])) != nil)
            let chosen = RandomID.make()
            #expect(try await create(["email": "kim@example.org", "id": .string(chosen)]) == chosen)
        }
    }

    @Test func `confirms an address and a number if told so, and only then`() async throws {
        try await SignInServer.start().use { server in
            let fields: JSONValue = ["email": "ada@example.org", "phone": "4915112345678"]
            let id = try await server.admin(.post, "", fields).text("id")
            let moved = try await server.admin(.put, "/\(id)", ["email": "new@example.org"])
            #expect(moved["email"] == "new@example.org", "\(moved.json)")
            #expect(moved["email_confirmed_at"] == nil, "\(moved.json)")
            #expect(moved["identities"]?[0]?["identity_data"]?["email_verified"] == false)
            try server.application.execute("UPDATE auth.users SET confirmation_token = 'sent'")
            let same = try await server.admin(.put, "/\(id)", ["email_confirm": true])
            #expect(same["email_confirmed_at"] != nil, "\(same.json)")
            #expect(same["phone_confirmed_at"] == nil, "\(same.json)")
            #expect(same["identities"]?[0]?["identity_data"]?["email_verified"] == true)
            #expect(same["user_metadata"]?["email_verified"] == true)
            #expect(try server.value("SELECT confirmation_token FROM auth.users") == "")
            #expect(try await server.admin(.put, "/\(id)", ["phone_confirm": true])["phone_confirmed_at"] != nil)
            let last = try await server.admin(.put, "/\(id)", ["email": "ada@example.org"])
            #expect(last["email_confirmed_at"] == same["email_confirmed_at"], "\(last.json)")
            #expect(last["identities"]?[0]?["identity_data"]?["email_verified"] == true)
        }
    }

    @Test func `confirms only what there is, and no address by a number`() async throws {
        try await SignInServer.start().use { server in
            let ada: JSONValue = ["email": "ada@example.org", "password": .string(SignInServer.password)]
            let id = try await server.admin(.post, "", ada).text("id")
            #expect(try await server.admin(.put, "/\(id)", ["phone_confirm": true])["phone_confirmed_at"] == nil)
            let fields: JSONValue = ["phone": "4915112345678", "phone_confirm": true]
            #expect(try await server.admin(.put, "/\(id)", fields)["phone_confirmed_at"] != nil)
            #expect(try await server.signIn("ada@example.org").code == "email_not_confirmed")
            #expect(try await server.admin(.put, "/\(id)", ["email_confirm": true])["email_confirmed_at"] != nil)
            #expect(try await server.signIn("ada@example.org").status == 200)
            let other = try await server.admin(.post, "", ["phone": "4915187654321"]).text("id")
            let confirmed = try await server.admin(.put, "/\(other)", ["email_confirm": true])
            #expect(confirmed.status == 200, "\(confirmed.json)")
            #expect(confirmed["email_confirmed_at"] == nil, "\(confirmed.json)")
        }
    }

    @Test func `confirms the address that an account has by then`() async throws {
        try await SignInServer.start().use { server in
            let id = try await server.admin(.post, "", ["email": "old@example.org"]).text("id")
            let changer = try BlockingConnection.connect(to: server.application.databaseURL)
            try changer.execute("BEGIN; UPDATE auth.users SET email = 'new@example.org'")
            let confirmation = Task { try await server.admin(.put, "/\(id)", ["email_confirm": true]) }
            try await server.waitForLock()
            try changer.execute("COMMIT")
            let account = try await confirmation.value
            #expect(account["email"] == "new@example.org", "\(account.json)")
            #expect(account["email_confirmed_at"] != nil, "\(account.json)")
            #expect(account["identities"]?[0]?["identity_data"]?["email"] == "new@example.org", "\(account.json)")
            #expect(account["user_metadata"] == ["email_verified": true], "\(account.json)")
        }
    }

    @Test func `lists pages with their number and their neighbors`() async throws {
        try await SignInServer.start().use { server in
            for number in 1...5 { _ = try await server.admin(.post, "", ["email": "u\(number)@example.org"]) }
            let page = try await server.admin(.get, "?page=1&per_page=2")
            #expect(page["users"]?.array?.count == 2)
            #expect(page["users"]?[0]?["email"] == "u5@example.org")
            #expect(page["aud"] == "authenticated")
            #expect(page.response.headers["X-Total-Count"] == "5")
            #expect(
                page.response.headers["Link"]
                    == "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
            )
            let last = try await server.admin(.get, "?page=3&per_page=2")
            #expect(last["users"]?.array?.count == 1)
            #expect(last.response.headers["Link"] == "</admin/users?page=3&per_page=2>; rel=\"last\"")
            #expect(try await server.admin(.get, "?page=9223372036854775807&per_page=1000")["users"] == [])
            #expect(try await server.admin(.get, "?page=x").code == "validation_failed")
        }
    }

    @Test(arguments: [
        ("", ["zebra@example.org", "ada@example.org"]), ("sort=created_at", ["zebra@example.org", "ada@example.org"]),
        ("sort=created_at%20asc", ["ada@example.org", "zebra@example.org"]), ("filter=zeb", ["zebra@example.org"]),
        ("filter=lovelace", ["ada@example.org"]), ("filter=%25", []), ("filter=nobody", []),
    ])
    func `lists those of whom the filter is a part, in the order that is asked for`(
        query: String,
        emails: [String]
    )
        async throws
    {
        try await SignInServer.start().use { server in
            let name: JSONValue = ["full_name": "Ada Lovelace"]
            _ = try await server.admin(.post, "", ["email": "ada@example.org", "user_metadata": name])
            _ = try await server.admin(.post, "", ["email": "zebra@example.org"])
            let page = try await server.admin(.get, "?\(query)")
            #expect(page["users"]?.array?.compactMap { $0["email"]?.string } == emails)
            #expect(page.response.headers["X-Total-Count"] == "\(emails.count)")
            #expect(page.response.headers["Link"] == "</admin/users?page=\(emails.isEmpty ? 0 : 1)>; rel=\"last\"")
            #expect(try await server.admin(.get, "?sort=email").code == "validation_failed")
        }
    }

    @Test func `takes what GoTrue takes, and refuses what it refuses`() async throws {
        try await SignInServer.start().use { server in
            let weak = try await server.admin(.post, "", ["email": "weak@example.org", "password": "1"])
            #expect(weak.status == 200, "\(weak.json)")
            let id = weak.text("id")
            #expect(try await server.admin(.put, "/\(id)", ["password": ""]).code == "weak_password")
            let confirmed = try await server.admin(.post, "", ["email": "b@example.org", "email_confirm": true])
            #expect(confirmed["user_metadata"] == ["email_verified": true])
            let moved: JSONValue = ["email": "c@example.org", "email_confirm": true]
            #expect(
                try await server.admin(.put, "/\(confirmed.text("id"))", moved)["user_metadata"]
                    == ["email_verified": true]
            )
            let none: JSONValue = ["email": "d@example.org", "id": "00000000-0000-0000-0000-000000000000"]
            #expect(try await server.admin(.post, "", none).text("message") == "ID cannot be a nil uuid")
        }
    }

    @Test func `takes accounts with their hashes`() async throws {
        try await SignInServer.start().use { server in
            let made = try await server.admin(
                .post,
                "",
                [
                    "email": .string(GoTrueDatabase.email), "password_hash": .string(GoTrueDatabase.passwordHash),
                    "email_confirm": true,
                ]
            )
            #expect(made.status == 200)
            #expect(try await server.signIn(GoTrueDatabase.email, GoTrueDatabase.password).status == 200)
            #expect(
                try await server.admin(.post, "", ["email": "x@example.org", "password_hash": "plain"]).code
                    == "validation_failed"
            )
            let unconfirmed = try await server.admin(.post, "", ["email": "y@example.org", "password": "secret12"])
            #expect(unconfirmed["email_confirmed_at"] == nil)
            #expect(try await server.signIn("y@example.org", "secret12").code == "email_not_confirmed")
        }
    }
}
