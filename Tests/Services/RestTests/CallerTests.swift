import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@testable import SwiftletRest

@Suite(.needsDatabase, .hangLimit) struct CallerTests {
    @Test func `runs as who asks`() async throws {
        try await RestServer.with { rest in
            let who = try JSONParser.parse(
                try await rest.send(.post, "rpc/who", "", as: RestServer.ada, ["User-Agent": "app"]).body
            )
            #expect(
                who == [
                    "role": "authenticated", "sub": .string(RestServer.ada), "method": "POST", "path": "/rpc/who",
                    "agent": "app",
                ]
            )
            let nobody = try await rest.application.send(.get, "/rest/v1/rpc/who")
            #expect(try JSONParser.parse(nobody.body)["role"] == "anon")
            let refused = try await rest.application.send(.get, "/rest/v1/projects")
            #expect(refused.status == .unauthorized)
            #expect(refused.text.contains("42501"))
            #expect(refused.headers[.wwwAuthenticate] == "Bearer")
            let forbidden = try await rest.send(.get, "projects", as: RestServer.ada)
            #expect(forbidden.status == .forbidden)
            #expect(forbidden.text.contains("42501"))
            let bad = try await rest.application.send(.get, "/rest/v1/clients", token: "x.y.z")
            #expect(bad.status == .unauthorized)
            #expect(bad.text.contains("PGRST301"))
            let role = try await rest.send(.get, "clients", role: "nobody_there")
            #expect(role.status == .unauthorized)
            #expect(role.text.contains("22023"))
            #expect(try await rest.send(.get, "clients", role: "none").status == .unauthorized)
        }
    }

    @Test func `refuses tokens for another audience`() async throws {
        try await RestServer.with({ $0.audience = "app" }) { rest in
            for (member, isAccepted) in [
                (#""aud":"app""#, true), (#""aud":["x","app"]"#, true), (#""aud":[]"#, true), (#""aud":null"#, true),
                (#""iss":"x""#, true), (#""aud":"other""#, false), (#""aud":"" "#, false), (#""aud":["x"]"#, false),
            ] {
                let payload = #"{"role":"service_role",\#(member),"exp":4000000000}"#
                let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
                let response = try await rest.application.send(.get, "/rest/v1/clients", token: token)
                #expect(response.status == (isAccepted ? .ok : .unauthorized), "\(member)")
                #expect(response.text.contains("JWT not in audience") != isAccepted)
            }
        }
    }

    @Test(arguments: [
        (#""iat":4000000000"#, "JWT issued at future"), (#""iat":"today""#, "The JWT 'iat' claim must be a number"),
        (#""aud":{"a":1}"#, "The JWT 'aud' claim must be a string or an array of strings"),
        (#""aud":["a",1]"#, "The JWT 'aud' claim must be a string or an array of strings"),
    ])
    func `refuses claims that no issuer makes`(member: String, message: String) async throws {
        try await RestServer.with { rest in
            let payload = #"{"role":"service_role",\#(member),"exp":4000000000}"#
            let token = try TokenIssuer(secret: Secret(TestApplication.secret)).issue(payload: Array(payload.utf8))
            let response = try await rest.application.send(.get, "/rest/v1/clients", token: token)
            #expect(response.status == .unauthorized)
            #expect(response.text.contains(message), "\(response.text)")
            #expect(response.text.contains("PGRST303"))
        }
    }

    @Test func `says that a token is unsecured`() async throws {
        try await RestServer.with { rest in
            let token = "eyJhbGciOiJub25lIn0.eyJyb2xlIjoic2VydmljZV9yb2xlIn0."
            let response = try await rest.application.send(.get, "/rest/v1/clients", token: token)
            #expect(response.status == .unauthorized)
            #expect(response.text.contains("JWT is unsecured but expected 'alg' was not 'none'"), "\(response.text)")
        }
    }

    /// PostgREST's configuration in the database, where hosted projects have theirs.
    @Test func `settings of the connection's role count, and change without a restart`() async throws {
        try await RestServer.with { rest in
            func set(_ setting: String) throws {
                try rest.application.execute(
                    """
                    DO $$ BEGIN
                        EXECUTE format('ALTER ROLE %I IN DATABASE %I SET pgrst.\(setting) ', session_user, current_database());
                    END $$;
                    NOTIFY pgrst, 'reload config';
                    """
                )
            }
            #expect(try await rest.send(.get, "clients?select=count()").status == .badRequest)
            try set("db_max_rows = ''1''")
            try set("db_schemas = ''public, nowhere''")
            try set("db_aggregates_enabled = ''true''")
            let isTaken = try await eventually {
                try await rest.send(.get, "clients?select=count()").status == .ok
            }
            #expect(isTaken)
            #expect(try await rest.get("clients?select=id").array?.count == 1)
            let elsewhere = try await rest.send(.get, "clients", "", ["Accept-Profile": "other"])
            #expect(elsewhere.text.contains("public, nowhere"))
        }
    }

    @Test func `shows and changes only what the policies let through`() async throws {
        try await RestServer.with { rest in
            let made = try await rest.send(
                .post,
                "notes?select=id,text",
                #"{"text":"mine"}"#,
                as: RestServer.ada,
                ["Prefer": "return=representation", "Accept": "application/vnd.pgrst.object+json"]
            )
            #expect(made.status == .created)
            let id = try #require(try JSONParser.parse(made.body)["id"]?.string)
            #expect(try await rest.get("notes?select=text", as: RestServer.ada) == [["text": "mine"]])
            #expect(try await rest.get("notes", as: RestServer.bob) == [])
            let stolen = try await rest.send(
                .patch,
                "notes?id=eq.\(id)",
                #"{"text":"his"}"#,
                as: RestServer.bob,
                ["Prefer": "return=representation"]
            )
            #expect(stolen.text == "[]")
            #expect(try await rest.send(.delete, "notes?id=eq.\(id)", as: RestServer.bob).status == .noContent)
            let forged = try await rest.send(
                .post,
                "notes",
                #"{"text":"x","owner":"\#(RestServer.ada)"}"#,
                as: RestServer.bob
            )
            #expect(forged.status == .forbidden)
            #expect(forged.text.contains("row-level security"))
            #expect(try await rest.get("notes?select=text", as: RestServer.ada) == [["text": "mine"]])
        }
    }

    /// What a transaction sets must reach no neighbor in the pipeline, whatever happens in between.
    @Test func `never mixes up callers`() async throws {
        try await RestServer.with { rest in
            for owner in [RestServer.ada, RestServer.bob] {
                try rest.application.execute("INSERT INTO notes (owner, text) VALUES ('\(owner)', '\(owner)')")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<12 {
                    group.addTask {
                        for round in 0..<250 {
                            switch (worker + round) % 7 {
                            case 0, 1:
                                let me = worker % 2 == 0 ? RestServer.ada : RestServer.bob
                                let rows = try await rest.get("notes?select=owner,text", as: me)
                                #expect(rows == [["owner": .string(me), "text": .string(me)]])
                            case 2:
                                let rows = try await rest.application.send(.get, "/rest/v1/notes")
                                #expect(rows.status == .unauthorized)
                            case 3:
                                let failed = try await rest.send(.post, "rpc/refuse", #"{"state":"P0001"}"#)
                                // A connection that breaks under a change ends it: nobody repeats it unasked.
                                let isLost = failed.status == 503 && failed.text.contains("whether a change was made")
                                #expect(failed.status == 400 || isLost, "\(failed.text)")
                            case 4:
                                let all = try await rest.get("notes?select=owner")
                                #expect(all.array?.count == 2)
                            case 5:
                                // A client that is gone at once.
                                let call = Task { try await rest.send(.get, "notes?select=owner", as: RestServer.ada) }
                                call.cancel()
                                _ = try? await call.value
                            default:
                                // The server's own statements have no role and no claims.
                                let rows = try await rest.application.database.query(
                                    "SELECT current_user = session_user AS own, current_setting('request.jwt.claims', true) AS claims"
                                )
                                #expect(rows.first?["own"] == "t")
                                #expect((rows.first?["claims"] ?? "") == "")
                            }
                        }
                    }
                }
                // Connections break meanwhile.
                group.addTask {
                    for _ in 0..<3 {
                        try rest.application.execute(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE '%json_agg%' LIMIT 1"
                        )
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func `refuses a genuine token whose claims have wrong types, and says which`() async throws {
        let answers: [(String, String?)] = [
            (#""iat":"soon""#, "The JWT 'iat' claim must be a number"),
            (#""iat":[1]"#, "The JWT 'iat' claim must be a number"),
            (#""aud":{"a":1}"#, "The JWT 'aud' claim must be a string or an array of strings"),
            (#""aud":["a",1]"#, "The JWT 'aud' claim must be a string or an array of strings"),
            (#""aud": ["a"],"iat": 1700000000.5"#, nil),
            (#""aud":[],"meta":{"iat":"x","aud":1}"#, nil),
            (#""aud":null,"iat":null"#, nil),
        ]
        let issuer = try TokenIssuer(secret: Secret(TestApplication.secret))
        try await RestServer.with { rest in
            for (claims, message) in answers {
                let payload = #"{"role":"service_role",\#(claims),"exp":4000000000}"#
                let token = try issuer.issue(payload: Array(payload.utf8))
                let response = try await rest.application.send(.get, "/rest/v1/labels", token: token)
                #expect(response.status == (message == nil ? .ok : .unauthorized), "\(claims): \(response.text)")
                guard let message else { continue }
                #expect(response.text.contains(#"{"code":"PGRST303","message":"\#(message)""#), "\(response.text)")
            }
        }
    }

    @Test func `keeps what a function has set for one answer from the next`() async throws {
        try await RestServer.with { rest in
            // Often enough to meet every connection.
            for _ in 0..<8 {
                let own = try await rest.send(.post, "rpc/forgetful", as: RestServer.ada)
                #expect(own.status == 418)
                #expect(own.headers["Set-Cookie"] == "session=ada")
                let other = try await rest.send(.get, "clients?select=id", as: RestServer.bob)
                #expect(other.status == .ok)
                #expect(other.headers["Set-Cookie"] == nil)
            }
        }
    }

    @Test func `gives the next caller nothing that a function has set for the session`() async throws {
        try await RestServer.with { rest in
            try await rest.application.database.query(
                """
                CREATE FUNCTION take_over() RETURNS text LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM set_config('role', 'anon', false), set_config('statement_timeout', '1', false),
                        set_config('request.jwt.claims', '{"sub":"x"}', false), pg_advisory_lock(7);
                    RETURN current_setting('role');
                END $$
                """
            )
            try await rest.application.database.query("NOTIFY pgrst, 'reload schema'")
            for _ in 0..<20 {
                let answer = try await rest.send(.post, "rpc/take_over")
                #expect(answer.status == .ok, "\(answer.text)")
            }
            for _ in 0..<40 {
                let rows = try await rest.application.database.query(
                    """
                    SELECT current_setting('role') AS role, current_setting('statement_timeout') AS timeout,
                        coalesce(current_setting('request.jwt.claims', true), '') AS claims,
                        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')::text AS locks
                    """
                )
                let row = try #require(rows.first)
                let values = try ["role", "timeout", "claims", "locks"].map { try row.decode(String.self, $0) }
                #expect(values == ["none", "20s", "", "0"])
            }
        }
    }

    @Test func `ends what takes a caller too long, as its role has it`() async throws {
        try await RestServer.with { rest in
            try await rest.application.database.query(
                """
                CREATE FUNCTION limit_of() RETURNS text LANGUAGE sql AS $$ SELECT current_setting('statement_timeout') $$
                """
            )
            try await rest.application.database.query("NOTIFY pgrst, 'reload schema'")
            let anonymous = try await rest.application.send(.post, "/rest/v1/rpc/limit_of", "")
            #expect(anonymous.text == #""3s""#)
            #expect(try await rest.send(.post, "rpc/limit_of", as: RestServer.ada).text == #""8s""#)
            #expect(try await rest.send(.post, "rpc/limit_of").text == #""20s""#)
        }
    }

    @Test func `finds what was made a moment ago`() async throws {
        try await RestServer.with { rest in
            _ = try await rest.get("labels")
            try rest.application.execute("CREATE TABLE fresh (id int PRIMARY KEY); GRANT ALL ON fresh TO service_role")
            // At once, with or without a notification: what is not found is looked for anew.
            let made = try await eventually { try await rest.send(.get, "fresh").text == "[]" }
            #expect(made)
        }
    }
}
