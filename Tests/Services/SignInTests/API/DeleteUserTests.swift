import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What an app store asks for: an account that deletes itself, and a copy of what is held.
@Suite(.needsDatabase, .hangLimit)
struct DeleteUserTests {
    private static let old = "UPDATE auth.sessions SET created_at = now() - interval '11 minutes'"

    @Test func `deletes the account for its password, and what hangs on it`() async throws {
        let sql = """
            CREATE TABLE public.kept_notes (owner uuid REFERENCES auth.users (id) ON DELETE CASCADE);
            """
        try await SignInServer.start(sql: sql).use { server in
            let session = try await server.signUp("ada@example.org")
            let id = session["user"]?["id"]?.string ?? ""
            try server.application.execute("INSERT INTO public.kept_notes VALUES ('\(id)'); \(Self.old)")
            let token = session.text("access_token")
            func delete(_ body: JSONValue?) async throws -> SignInServer.Answer {
                try await server.auth(.delete, "/user", body, token: token)
            }
            #expect(try await delete(nil).code == "reauthentication_needed")
            #expect(try await delete(["password": "wrong"]).code == "current_password_invalid")
            #expect(try await delete(["nonce": "123456"]).code == "reauthentication_not_valid")
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
            #expect(try await delete(["password": .string(SignInServer.password)]).json == [:])
            for table in ["auth.users", "auth.sessions", "auth.identities", "auth.refresh_tokens", "public.kept_notes"]
            {
                #expect(try server.value("SELECT count(*) FROM \(table)") == "0", "\(table)")
            }
            #expect(try await delete(nil).code.isEmpty == false)
            #expect((try? server.verifier.verify(bearer: Array(token.utf8).span)) == nil)
            #expect(try await server.auth(.delete, "/user").code == "no_authorization")
            let log = "SELECT payload ->> 'action' FROM auth.audit_log_entries ORDER BY created_at DESC LIMIT 1"
            #expect(try server.value(log) == "user_deleted")
        }
    }

    @Test func `deletes nothing that the app keeps, and at once after a sign-in`() async throws {
        try await SignInServer.start(
            sql: "CREATE TABLE public.kept_invoices (owner uuid REFERENCES auth.users (id));"
        ).use { server in
            let session = try await server.signUp("ada@example.org")
            let id = session["user"]?["id"]?.string ?? ""
            try server.application.execute("INSERT INTO public.kept_invoices VALUES ('\(id)')")
            let token = session.text("access_token")
            let kept = try await server.auth(.delete, "/user", token: token)
            #expect(kept.status == 409)
            #expect(try await server.auth(.get, "/user", token: token).status == 200)
            try server.application.execute("DELETE FROM public.kept_invoices")
            #expect(try await server.auth(.delete, "/user", token: token).status == 200)
        }
    }

    @Test func `takes a code once, in time, and of its owner`() async throws {
        let mailing = try await MailingServer.start { $0.confirmsAtOnce = true }
        let server = mailing.server
        let ada = try await server.signUp("ada@example.org").text("access_token")
        let bob = try await server.signUp("bob@example.org").text("access_token")
        try server.application.execute(Self.old)
        func delete(_ token: String, _ nonce: String) async throws -> SignInServer.Answer {
            try await server.auth(.delete, "/user", ["nonce": .string(nonce)], token: token)
        }
        func code(_ email: String, _ token: String) async throws -> String {
            #expect(try await server.auth(.get, "/reauthenticate", token: token).status == 200)
            try await server.emailsAreSent()
            return try mailing.code(to: email)
        }
        let (adas, bobs) = (try await code("ada@example.org", ada), try await code("bob@example.org", bob))
        if adas != bobs { #expect(try await delete(ada, bobs).code == "reauthentication_not_valid") }
        try server.application.execute(
            "UPDATE auth.users SET reauthentication_sent_at = now() - interval '3601 seconds' WHERE email LIKE 'ada%'"
        )
        #expect(try await delete(ada, adas).code == "reauthentication_not_valid")
        #expect(try server.value("SELECT count(*) FROM auth.users") == "2")
        #expect(try await delete(bob, bobs).status == 200)
        #expect(try server.value("SELECT email FROM auth.users") == "ada@example.org")
        await server.stop()
    }

    @Test func `neither deletes nor shows anything for a session that has ended, or for no user`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            _ = try await server.auth(.post, "/logout", token: token)
            for (method, path) in [(SwiftletHTTP.Method.delete, "/user"), (.get, "/user/export")] {
                for token in [token, SignInServer.serviceKey, nil] {
                    let answer = try await server.auth(method, path, token: token)
                    #expect((401...403).contains(answer.status), "\(answer.json)")
                }
            }
            #expect(try server.value("SELECT count(*) FROM auth.users") == "1")
        }
    }

    @Test func `deletes once for many at the same time`() async throws {
        try await SignInServer.start().use { server in
            let token = try await server.signUp("ada@example.org").text("access_token")
            let statuses = try await withThrowingTaskGroup { group in
                for _ in 0..<50 {
                    group.addTask { try await server.auth(.delete, "/user", token: token).status }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses[200] == 1, "\(statuses)")
            // 400 where the session was gone before its age was read.
            #expect(statuses.keys.allSatisfy { [200, 400, 401, 403].contains($0) }, "\(statuses)")
            let entries = "SELECT count(*) FROM auth.audit_log_entries WHERE payload ->> 'action' = 'user_deleted'"
            #expect(try server.value(entries) == "1")
        }
    }

    @Test func `asks for the second factor`() async throws {
        try await SignInServer.start().use { server in
            var ada = try await FactorClient(server)
            _ = try await ada.raise()
            let thief = try await server.signIn("ada@example.org").text("access_token")
            for (method, path) in [(SwiftletHTTP.Method.delete, "/user"), (.get, "/user/export")] {
                let answer = try await server.auth(method, path, token: thief)
                #expect(answer.status == 401)
                #expect(answer.code == "insufficient_aal")
            }
            #expect(try await server.auth(.delete, "/user", token: ada.token).status == 200)
        }
    }

    @Test func `shows what is held, and no secret`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            let bob = try await server.signUp("bob@example.org")["user"]?["id"]?.string ?? ""
            let export = try await server.auth(
                .get,
                "/user/export?user_id=\(bob)&id=\(bob)",
                token: session.text("access_token")
            )
            #expect(export["user"]?["email"] == "ada@example.org")
            #expect(export["sessions"]?.array?.count == 1)
            #expect(
                export["audit"]?.array?.compactMap { $0["payload"]?["action"]?.string }.sorted() == [
                    "login", "user_signedup",
                ]
            )
            let text = export.json.description
            for secret in ["bob@", "encrypted_password", "hmac", session.text("refresh_token")] {
                #expect(!text.contains(secret), "\(secret)")
            }
        }
    }

    @Test func `finds what is written down of an account by an index`() async throws {
        try await SignInServer.start().use { server in
            let connection = try BlockingConnection.connect(to: server.application.databaseURL)
            try connection.execute("SET enable_seqscan = off")
            let plan = try connection.query(
                """
                EXPLAIN SELECT payload FROM auth.audit_log_entries
                WHERE payload ->> 'actor_id' = 'a' ORDER BY created_at DESC LIMIT 10
                """
            )
            #expect("\(plan)".contains("audit_log_entries_actor_id_idx"))
        }
    }

    @Test func `writes down who did what, for administrators alone, unless it is turned off`() async throws {
        try await SignInServer.start().use { server in
            let session = try await server.signUp("ada@example.org")
            let token = try await server.signIn("ada@example.org").text("access_token")
            _ = try await server.auth(.put, "/user", ["password": "another horse"], token: token)
            _ = try await server.auth(.post, "/logout", token: token)
            func actions(_ query: String = "") async throws -> [String] {
                let answer = try await server.auth(.get, "/admin/audit\(query)", token: SignInServer.serviceKey)
                #expect(answer.status == 200, "\(answer.json)")
                return answer.json.array?.compactMap { $0["payload"]?["action"]?.string } ?? []
            }
            #expect(
                try await actions().sorted()
                    == ["login", "login", "logout", "user_signedup", "user_updated_password"]
            )
            #expect(try await actions("?query=action:logout") == ["logout"])
            #expect(try await actions("?query=author:ADA&per_page=2").count == 2)
            #expect(try await actions("?query=type:team") == ["user_signedup"])
            let entry = try await server.auth(.get, "/admin/audit?query=action:logout", token: SignInServer.serviceKey)
            #expect(
                entry.json[0]?["payload"]
                    == [
                        "action": "logout", "actor_id": session["user"]?["id"] ?? .null,
                        "actor_username": "ada@example.org",
                        "actor_via_sso": false, "log_type": "account",
                    ]
            )
            #expect(try await server.auth(.get, "/admin/audit", token: session.text("access_token")).status == 403)
            let bad = try await server.auth(.get, "/admin/audit?query=x", token: SignInServer.serviceKey)
            #expect(bad.status == 400)
            try await SignInServer.start { $0.writesAudit = false }.use { quiet in
                _ = try await quiet.signUp("ada@example.org")
                #expect(try quiet.value("SELECT count(*) FROM auth.audit_log_entries") == "0")
            }
        }
    }
}
