import SwiftletConsole
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing
import SwiftletWeb

@Suite(.needsDatabase, .hangLimit) struct AccessTests {
    private static let ada = "11111111-1111-4111-8111-111111111111"

    /// Notes of two tenants; a trigger notes each write in a sequence, which no rollback takes back.
    private static let notes = """
        CREATE TABLE notes (id integer PRIMARY KEY, tenant_id text NOT NULL, owner text, state text, body text);
        INSERT INTO notes SELECT n, CASE WHEN n % 2 = 0 THEN 'acme' ELSE 'nordlicht' END, 'u' || n % 3,
            CASE WHEN n % 5 = 0 THEN 'closed' ELSE 'open' END FROM generate_series(1, 20) n;
        CREATE SEQUENCE calls;
        CREATE FUNCTION note_call() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
            BEGIN PERFORM nextval('calls'); RETURN coalesce(NEW, OLD); END $$;
        CREATE TRIGGER noted BEFORE INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION note_call();
        CREATE FUNCTION my_tenant() RETURNS text LANGUAGE sql STABLE
            AS $$ SELECT current_setting('request.jwt.claims', true)::json->>'tenant' $$;
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        GRANT SELECT, INSERT, UPDATE ON notes TO authenticated;
        CREATE POLICY tenant ON notes USING (tenant_id = (SELECT my_tenant()));
        """

    private static let acme: JSONValue = [
        "kind": "claims", "claims": ["role": "authenticated", "sub": .string(ada), "tenant": "acme"],
    ]

    private static func ask(_ extra: JSONObject = [:], who: JSONValue = acme) -> JSONValue {
        var question: JSONObject = ["who": who, "table": "notes"]
        for (name, value) in extra { question[name] = value }
        return .object(question)
    }

    private static func row(_ answer: JSONValue, _ id: Int) -> JSONValue? {
        answer["rows"]?.array?.first { $0["key"]?.string == "[\"\(id)\"]" }?["actions"]
    }

    @Test func `a hidden row is told with the policy and both values`() async throws {
        try await ConsoleServer.with(sql: Self.notes) { server in
            let session = try await server.enter(.editor)
            let answer = try await session.post("access", Self.ask())
            #expect(answer["seen"]?.int == 10)
            #expect(answer["of"]?.int == 20)
            let hidden = try #require(Self.row(answer, 1)?["select"])
            #expect(hidden["verdict"]?.bool == false)
            #expect(hidden["differs"]?.bool == false)
            #expect(
                hidden["text"]?.string
                    == "hidden: permissive policy tenant is false (USING) (tenant_id is nordlicht, my_tenant() says acme)"
            )
            #expect(Self.row(answer, 2)?["select"]?["text"]?.string == "allowed by policy tenant")
            // A missing grant comes before policies.
            #expect(
                Self.row(answer, 2)?["delete"]?["text"]?.string == "refused: no GRANT of DELETE to authenticated"
            )
        }
    }

    @Test func `an insert for another tenant is refused by name, and nothing runs`() async throws {
        try await ConsoleServer.with(sql: Self.notes) { server in
            let session = try await server.enter(.editor)
            let row: JSONValue = ["id": 99, "tenant_id": "nordlicht"]
            let answer = try await session.post("access", Self.ask(["insert": row]))
            #expect(answer["insert"]?["allowed"]?.bool == false)
            #expect(answer["insert"]?["text"]?.string?.contains("policy tenant is false (WITH CHECK)") == true)
            #expect(answer["triggers"] == ["noted"])
            #expect(try server.application.count("notes") == 20)
            #expect(try server.application.count("calls WHERE NOT is_called") == 1)

            let tried = try await session.post("access", Self.ask(["insert": row, "try": true]))
            #expect(tried["insert"]?["verdict"]?.bool == false)
            #expect(tried["insert"]?["said"]?.string?.contains("row-level security") == true)
            let own = try await session.post(
                "access",
                Self.ask(["insert": ["id": 99, "tenant_id": "acme"], "try": true])
            )
            #expect(own["insert"]?["verdict"]?.bool == true)
            #expect(try server.application.count("notes") == 20)
        }
    }

    @Test func `a restrictive policy that alone refuses is named, and either of two permissive ones suffices`()
        async throws
    {
        let more = """
            CREATE POLICY owned ON notes FOR SELECT USING (owner = 'u1');
            CREATE POLICY unlocked ON notes AS RESTRICTIVE USING (state = 'open');
            """
        try await ConsoleServer.with(sql: Self.notes + more) { server in
            let session = try await server.enter(.editor)
            let answer = try await session.post("access", Self.ask(["try": true]))
            // 10: acme and closed. 7: nordlicht, owned. 2: acme. 3: neither.
            #expect(
                Self.row(answer, 10)?["select"]?["text"]?.string
                    == "hidden: restrictive policy unlocked is false (USING) (state is closed)"
            )
            #expect(Self.row(answer, 7)?["select"]?["text"]?.string == "allowed by policy owned")
            #expect(Self.row(answer, 2)?["select"]?["text"]?.string == "allowed by policy tenant")
            #expect(
                Self.row(answer, 3)?["select"]?["text"]?.string?.contains("policies owned, tenant are false") == true
            )
            #expect(Self.row(answer, 7)?["update"]?["verdict"]?.bool == false)
            #expect(Self.row(answer, 2)?["update"]?["verdict"]?.bool == true)
            #expect(answer["policies"]?.array?.count == 3)
        }
    }

    /// Policies of random parts, with sub-selects on a protected table.
    @Test(arguments: 0..<8)
    func `the explanation is what really happens`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let parts = [
            "tenant_id = (SELECT my_tenant())", "owner = 'u1'", "state = 'open'", "id > 10", "owner IS NULL",
            "body > 'a'",
            "EXISTS (SELECT FROM members m WHERE m.name = notes.owner)", "id IN (SELECT size FROM members)",
            "current_setting('request.jwt.claims', true)::json->>'aal' = 'aal2'", "false", "true",
        ]
        var sql =
            Self.notes + """
                DROP POLICY tenant ON notes; GRANT DELETE ON notes TO authenticated;
                CREATE TABLE members (name text, size integer, team text);
                INSERT INTO members VALUES ('u0', 4, 'a'), ('u1', 12, 'b'), ('u2', 14, 'a');
                ALTER TABLE members ENABLE ROW LEVEL SECURITY;
                CREATE POLICY team ON members USING (team = 'a'); GRANT SELECT ON members TO authenticated;
                UPDATE notes SET owner = NULL WHERE id % 7 = 0;
                """
        for index in 0..<Int.random(in: 1...5, using: &random) {
            let command = ["ALL", "SELECT", "UPDATE", "DELETE"].randomElement(using: &random) ?? "ALL"
            let kind = Int.random(in: 0..<3, using: &random) == 0 ? "RESTRICTIVE" : "PERMISSIVE"
            let using = parts.randomElement(using: &random) ?? "true"
            let check = Bool.random(using: &random) && ["ALL", "UPDATE"].contains(command)
            let other = parts.randomElement(using: &random) ?? "true"
            sql += "CREATE POLICY p\(index) ON notes AS \(kind) FOR \(command) USING (\(using))"
            sql += check ? " WITH CHECK (\(other));" : ";"
        }
        try await ConsoleServer.with(sql: sql) { server in
            let session = try await server.enter(.editor)
            let answer = try await session.post("access", Self.ask(["try": true]))
            #expect(answer["rows"]?.array?.count == 20)
            for row in answer["rows"]?.array ?? [] {
                for action in ["select", "update", "delete"] {
                    let cell = row["actions"]?[action]
                    #expect(cell?["verdict"]?.bool == cell?["allowed"]?.bool, "\(sql) \(row)")
                }
            }
            #expect(try server.application.count("notes") == 20)
        }
    }

    @Test func `anonymous callers, the service key and claims by hand are asked about`() async throws {
        try await ConsoleServer.with(
            sql: Self.notes
                + "CREATE POLICY strong ON notes AS RESTRICTIVE USING ((current_setting('request.jwt.claims', true)::json->>'aal') = 'aal2');"
        ) { server in
            let session = try await server.enter(.editor)
            let anonymous = try await session.post("access", Self.ask(who: ["kind": "anon"]))
            #expect(anonymous["seen"]?.int == 0)
            #expect(Self.row(anonymous, 1)?["select"]?["text"]?.string == "refused: no GRANT of SELECT to anon")
            let weak = try await session.post("access", Self.ask())
            #expect(weak["seen"]?.int == 0)
            let strong = try await session.post(
                "access",
                Self.ask(who: ["kind": "claims", "claims": ["role": "authenticated", "tenant": "acme", "aal": "aal2"]])
            )
            #expect(strong["seen"]?.int == 10)
            try server.application.execute("GRANT SELECT ON notes TO service_role")
            let service = try await session.post("access", Self.ask(who: ["kind": "service"]))
            #expect(service["seen"]?.int == 20)
            #expect(service["bypasses"]?.bool == true)
            _ = try await session.post(
                "access",
                Self.ask(who: ["kind": "account", "account": "no@b.dy"]),
                status: .notFound
            )
        }
    }

    @Test func `a policy that sleeps is stopped`() async throws {
        try await ConsoleServer.with(
            sql: Self.notes + "CREATE POLICY slow ON notes AS RESTRICTIVE USING (pg_sleep(10) IS NOT NULL);"
        ) { server in
            let session = try await server.enter(.editor)
            let answer = try await session.post("access", Self.ask(), status: .badRequest)
            #expect(answer["error"]?["message"]?.string?.contains("longer than two seconds") == true)
        }
    }

    @Test func `checks that are kept hold until a policy goes`() async throws {
        try await ConsoleServer.with(sql: Self.notes) { server in
            let checks = try AccessCheck.list(
                Array(
                    """
                    [{"who": \(Self.acme), "table": "notes", "expect": {"seen": 10, "of": 20}},
                     {"who": \(Self.acme), "table": "notes", "action": "update", "key": ["2"], "expect": true},
                     {"who": {"kind": "anon"}, "table": "notes", "key": ["2"], "expect": false}]
                    """.utf8
                )
            )
            let tester = AccessTester(database: server.application.database)
            for check in checks { #expect(try await check.run(tester) == nil) }
            try server.application.execute("DROP POLICY tenant ON notes")
            let faults = try await [checks[0].run(tester), checks[1].run(tester), checks[2].run(tester)]
            #expect(faults[0] == "sees 0 of 20 rows, expected 10 of 20")
            #expect(faults[1]?.contains("no permissive policy") == true)
            #expect(faults[2] == nil)
            #expect(throws: ConsoleError.self) { try AccessCheck.list(Array(#"[{"table": "notes"}]"#.utf8)) }
        }
    }

    @Test func `the matrix tells grants and policies apart`() async throws {
        try await ConsoleServer.with(
            sql: Self.notes + "CREATE TABLE loose (id integer); GRANT SELECT ON loose TO anon;"
        ) {
            server in
            let rows = try await AccessMatrix.read(server.application.database)
            #expect(rows.first { $0.table == "notes" }?.letters.prefix(2) == ["----", "siu-"])
            #expect(rows.first { $0.table == "loose" }?.letters.first == "S---")
            try server.application.execute("DROP POLICY tenant ON notes")
            let after = try await AccessMatrix.read(server.application.database)
            #expect(after.first { $0.table == "notes" }?.letters[1] == "!!!-")
        }
    }
}
