import SwiftletAuth
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRealtime

/// What is large, deep, long, or fails in a way of its own.
extension SyncRoutesTests {
    @Test func `a first pull looks at no more of the log than what is new since the last`() async throws {
        try await Self.with { changes in
            try changes.execute("INSERT INTO notes VALUES (1, 'a')")
            try await isLogged(changes, 1)
            _ = try await pull(changes)
            try changes.execute("INSERT INTO notes VALUES (2, 'a')")
            try await isLogged(changes, 2)
            let second = try #require(SyncCursor((try await pull(changes))["cursor"]?.string ?? ""))
            // Something before it that would be seen if it were looked at.
            let writer = try BlockingConnection.connect(to: changes.url)
            try writer.execute("BEGIN")
            let number = try writer.query("SELECT txid_current() % 4294967296")[0][0] ?? ""
            try changes.execute(
                """
                INSERT INTO swiftlet.changes (lsn, index, part, transaction, committed_at, relation, operation)
                SELECT lsn, index + 100, part, \(number), committed_at, relation, 'T'
                FROM swiftlet.changes ORDER BY lsn LIMIT 1
                """
            )
            let third = try #require(SyncCursor((try await pull(changes))["cursor"]?.string ?? ""))
            #expect(third.position == second.position)
            try writer.execute("ROLLBACK")
        }
    }

    @Test func `images beyond the size of a page are not read`() async throws {
        try await Self.with { changes in
            try changes.execute("INSERT INTO notes SELECT n, 'a', repeat('x', 900000) FROM generate_series(1, 6) n")
            try await isLogged(changes, 6)
            let oid = try changes.query("SELECT 'notes'::regclass::oid")[0][0].flatMap { UInt32($0) }
            let start = ChangePosition(epoch: 1, commit: .zero, index: 0)
            let rows = try await changes.database.query(
                SyncLog.pageStatement,
                SyncLog.pageParameters(after: start, [try #require(oid)])
            )
            var bytes: [Int] = []
            for row in 0..<rows.count { bytes.append(rows.cell(row, 4).count) }
            #expect(rows.count == 6)
            #expect(bytes.map { $0 > 900_000 } == [true, true, true, false, false, false])
            let page = SyncLog.readPage(rows, after: start)
            #expect(page.changes.count == 3 && page.isFull)
        }
    }

    @Test func `rows that were not looked for are not said to be gone`() async throws {
        try await Self.with { changes in
            try changes.execute("INSERT INTO notes VALUES (1, 'a', 'x')")
            let mutations = """
                {"id":1,"table":"elsewhere","op":"update","key":{"id":1},"values":{"title":"y"}},
                {"id":2,"table":"notes","op":"update","key":{"id":1},"values":{"nothing":"y"}},
                {"id":3,"table":"notes","op":"update","key":{"id":"none"},"values":{"title":"y"}},
                {"id":4,"table":"notes","op":"update","key":{"id":2},"values":{"title":"y"}}
                """
            let answer = try JSONParser.parse(try await push(changes, mutations).body)
            let results = answer["results"]?.array ?? []
            #expect(results.map { $0["status"]?.string } == ["rejected", "rejected", "rejected", "conflict"])
            #expect(results.map { $0["row"] } == [nil, nil, nil, .null])
        }
    }

    @Test(arguments: ["55000", "57014", "58030", "XX000"])
    func `a change that always fails in the server's own way holds up no others`(_ state: String) async throws {
        let trigger = """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'no' USING ERRCODE = '\(state)';
            END $$;
            CREATE TRIGGER fail BEFORE INSERT ON notes FOR EACH ROW WHEN (NEW.title = 'bad') EXECUTE FUNCTION fail();
            """
        try await Self.with(Self.tables + trigger) { changes in
            let mutations = ["good", "bad", "better", "bad"].enumerated().map { number, title in
                """
                {"id":\(number + 1),"table":"notes","op":"insert","key":{"id":\(number)},
                    "values":{"id":\(number),"team":"a","title":"\(title)"}}
                """
            }
            for round in 1...2 {
                let answer = try JSONParser.parse(
                    try await push(changes, mutations.joined(separator: ",")).body
                )
                let results = answer["results"]?.array ?? []
                #expect(results.map { $0["status"]?.string } == ["applied", "rejected", "applied", "rejected"])
                #expect(results.map { $0["duplicate"]?.bool } == results.map { _ in round == 2 })
                #expect(results.map { $0["row"]?["title"]?.string } == ["good", nil, "better", nil])
                #expect(results.dropFirst().first?["code"]?.string == state)
            }
            #expect(try changes.query("SELECT title FROM notes ORDER BY id") == [["good"], ["better"]])
        }
    }

    @Test func `a change that fails for now is not refused`() async throws {
        let trigger = """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                RAISE EXCEPTION 'no' USING ERRCODE = '53100';
            END $$;
            CREATE TRIGGER fail BEFORE INSERT ON notes FOR EACH ROW EXECUTE FUNCTION fail();
            """
        try await Self.with(Self.tables + trigger) { changes in
            let made = #"{"id":1,"table":"notes","op":"insert","key":{"id":1},"values":{"id":1,"team":"a"}}"#
            #expect(try await push(changes, made).status == .serviceUnavailable)
            try changes.execute("DROP TRIGGER fail ON notes")
            #expect(try await push(changes, made).text.contains(#""status":"applied""#))
        }
    }

    @Test func `columns that came after the table was looked at are told`() async throws {
        try await Self.with { changes in
            try changes.execute("INSERT INTO notes VALUES (1, 'a', 'x')")
            let token = try TestApplication.token(claims: ["role": "authenticated", "sub": "ada"])
            let user = try changes.verifier.verify(bearer: Array(token.utf8).span)
            let caller = SyncCaller(id: "ada", role: user.role, claims: user.payload, change: ChangeCaller(user))
            let pull = SyncPull(
                database: changes.database,
                catalog: VisibleTables(changes.database),
                statements: SyncStatements()
            )
            let known = try await pull.prepare(["notes"], caller)
            try changes.execute("ALTER TABLE notes ADD COLUMN more int; GRANT SELECT (more) ON notes TO authenticated")
            let answer = try JSONParser.parse(
                try await pull.answer(["notes"], since: nil, client: nil, as: caller, known)
            )
            #expect(
                answer["tables"]?["notes"]?["upsert"] == [["id": 1, "team": "a", "title": "x", "more": .null]]
            )
        }
    }

    @Test func `a table that cannot be watched is refused`() async throws {
        try await Self.with { changes in
            let open = "CREATE TABLE open (id int PRIMARY KEY); SELECT swiftlet.enable_sync('open')"
            #expect(throws: (any Error).self) { try changes.execute(open) }
            func refusal() async throws -> String {
                let answer = try await send(changes, .get, "?tables=notes")
                return answer.status == .serviceUnavailable ? answer.text : ""
            }
            #expect(try await refusal() == "")
            try changes.execute("ALTER TABLE notes DISABLE ROW LEVEL SECURITY")
            #expect(try await refusal().contains("no row security"))
            try changes.execute(
                """
                ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
                CREATE SCHEMA IF NOT EXISTS auth;
                CREATE FUNCTION auth.my_teams() RETURNS SETOF text STABLE SECURITY DEFINER LANGUAGE sql AS
                    'SELECT team FROM public.members';
                ALTER POLICY team ON notes USING (team IN (SELECT auth.my_teams()));
                """
            )
            #expect(try await refusal().contains("auth.my_teams()"))
            try changes.execute("SELECT swiftlet.enable_sync('notes', reads => '{members}')")
            #expect(try await refusal() == "")
            try changes.execute("ALTER TABLE members RENAME TO people")
            #expect(try await refusal().contains("public.members"))
        }
    }

    // MARK: - Rows

    private static let texts = """
        CREATE TABLE notes (id text PRIMARY KEY, doc json);
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY all_ ON notes TO authenticated USING (true);
        GRANT SELECT ON notes TO authenticated;
        SELECT swiftlet.enable_sync('notes');
        """

    /// The ids of all rows, as often as they were told; those that are deleted go.
    private func ids(_ changes: TestChanges, _ cursor: inout String) async throws -> [String] {
        var ids: [String] = []
        while true {
            let answer = try await send(changes, .get, "?tables=notes&since=\(cursor)")
            #expect(answer.status == .ok, "\(answer.text.prefix(300))")
            // Rows may be deeper than what is read by default.
            let json = try JSONParser.parse(answer.body, maximumDepth: JSONParser.depthLimit)
            ids += json["tables"]?["notes"]?["upsert"]?.array?.compactMap { $0["id"]?.string } ?? []
            cursor = json["cursor"]?.string ?? ""
            if json["more"] != true { return ids }
        }
    }

    /// Too long for any cursor, and for a request with the cursor.
    @Test(arguments: [20_000, 6025])
    func `a page ends before a key that has no room in the cursor`(_ length: Int) async throws {
        try await Self.with(Self.texts) { changes in
            try changes.execute(
                """
                INSERT INTO notes SELECT lpad(n::text, 4, '0') || CASE WHEN n = 500 THEN repeat('z', \(length)) ELSE '' END
                FROM generate_series(1, 600) n
                """
            )
            try await isLogged(changes, 600)
            var cursor = ""
            let found = try await ids(changes, &cursor)
            #expect(found.count == 600 && Set(found).count == 600)
            // There is nothing to go on from.
            try changes.execute("UPDATE notes SET id = id || repeat('z', 20000)")
            let refused = try await send(changes, .get, "?tables=notes")
            #expect(refused.status == .unprocessableContent)
            #expect(refused.text.contains("SYNC_KEY_TOO_LONG"))
        }
    }

    @Test func `rows that are nested deep come and change as others do`() async throws {
        try await Self.with(Self.texts) { changes in
            let deep = "(repeat('[', 70) || repeat(']', 70))::json"
            // The last of the first page is deep.
            try changes.execute(
                "INSERT INTO notes SELECT lpad(n::text, 4, '0'), \(deep) FROM generate_series(1, 501) n"
            )
            try await isLogged(changes, 501)
            var cursor = ""
            #expect(Set(try await ids(changes, &cursor)).count == 501)
            try changes.execute("DELETE FROM notes WHERE id <> '0007'; INSERT INTO notes VALUES ('new', \(deep))")
            try await isLogged(changes, 1002)
            let found = try await ids(changes, &cursor)
            #expect(found == ["new"])
            // An image that cannot be read at all: the table is read again.
            try changes.execute(
                """
                INSERT INTO swiftlet.changes (lsn, index, part, transaction, committed_at, relation, operation, new_row)
                SELECT lsn, index + 1, part, transaction, committed_at, relation, 'I', \(deep)
                FROM swiftlet.changes ORDER BY lsn DESC, index DESC LIMIT 1
                """
            )
            let again = try await ids(changes, &cursor)
            #expect(again.sorted() == ["0007", "new"])
        }
    }
}
