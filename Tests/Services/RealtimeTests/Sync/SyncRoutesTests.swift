import Foundation
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import SwiftletWeb
import Testing

@testable import SwiftletRealtime

/// `/realtime/v1/sync` by its requests: what it refuses, and what it tells nobody.
@Suite(.needsDatabase, .hangLimit)
struct SyncRoutesTests {
    static let tables = """
        CREATE TABLE members (user_id text, team text, PRIMARY KEY (user_id, team));
        CREATE TABLE notes (id int PRIMARY KEY, team text, title text, secret text);
        ALTER TABLE members ENABLE ROW LEVEL SECURITY;
        ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
        CREATE POLICY own ON members FOR SELECT TO authenticated
            USING (user_id = (SELECT current_setting('request.jwt.claims', true)::json ->> 'sub'));
        CREATE POLICY team ON notes TO authenticated USING (team IN (SELECT team FROM members));
        GRANT SELECT ON members TO authenticated;
        GRANT SELECT (id, team, title), INSERT (id, team, title), UPDATE (team, title), DELETE ON notes TO authenticated;
        INSERT INTO members VALUES ('ada', 'a');
        SELECT swiftlet.enable_sync('notes');
        """
    private static let client = "00000000-0000-4000-8000-0000000000C1"

    static func with(_ sql: String = tables, _ body: (TestChanges) async throws -> Void) async throws {
        try await TestChanges.with(sql, body)
    }

    func send(
        _ changes: TestChanges,
        _ method: SwiftletHTTP.Method,
        _ target: String,
        as user: String = "ada",
        claims: JSONObject = [:],
        _ body: String = ""
    ) async throws -> Response {
        var all: JSONObject = ["role": "authenticated", "sub": .string(user)]
        for (name, value) in claims { all[name] = value }
        let token = try TestApplication.token(claims: all)
        return try await changes.application.send(method, "/realtime/v1/sync\(target)", token: token, body)
    }

    func pull(
        _ changes: TestChanges,
        _ cursor: String = "",
        as user: String = "ada",
        claims: JSONObject = [:]
    ) async throws -> JSONValue {
        let answer = try await send(changes, .get, "?tables=notes&since=\(cursor)", as: user, claims: claims)
        #expect(answer.status == .ok, "\(answer.text)")
        return try JSONParser.parse(answer.body)
    }

    /// Pulls until there is no more; the ids that were told, and the last cursor.
    private func pullAll(
        _ changes: TestChanges,
        _ cursor: String = "",
        as user: String = "ada",
        claims: JSONObject = [:]
    ) async throws -> (upserts: [Int], deletes: [Int], resets: Int, cursor: String) {
        var (upserts, deletes, resets, cursor): ([Int], [Int], Int, String) = ([], [], 0, cursor)
        while true {
            let answer = try await pull(changes, cursor, as: user, claims: claims)
            let told = answer["tables"]?["notes"]
            upserts += told?["upsert"]?.array?.compactMap { $0["id"]?.int } ?? []
            deletes += told?["delete"]?.array?.compactMap { $0["id"]?.int } ?? []
            if told?["reset"] == true { resets += 1 }
            cursor = answer["cursor"]?.string ?? ""
            if answer["more"] == false { return (upserts, deletes, resets, cursor) }
        }
    }

    func push(_ changes: TestChanges, _ mutations: String, as user: String = "ada") async throws -> Response {
        let body = #"{"client_id":"\#(Self.client)","mutations":[\#(mutations)]}"#
        return try await send(changes, .post, "", as: user, body)
    }

    /// Waits until the log has all that was committed.
    func isLogged(_ changes: TestChanges, _ count: Int) async throws {
        let isThere = try await eventually(within: .seconds(30)) {
            try changes.query("SELECT count(*) FROM swiftlet.changes") == [[String(count)]]
        }
        #expect(isThere)
    }

    @Test func `rows that a user never saw are told to them in no way`() async throws {
        try await Self.with { changes in
            let first = try await pullAll(changes)
            #expect(first.upserts == [])
            try changes.execute(
                """
                INSERT INTO notes VALUES (1, 'b', 'theirs'), (2, 'a', 'short'), (3, 'b', 'moves');
                DELETE FROM notes WHERE id IN (1, 2);
                UPDATE notes SET team = 'a', secret = 'hidden' WHERE id = 3;
                """
            )
            try await isLogged(changes, 6)
            let answer = try await pull(changes, first.cursor)
            #expect(!answer.description.contains("theirs"))
            #expect(!answer.description.contains("hidden"))
            #expect(answer["tables"]?["notes"]?["upsert"] == [["id": 3, "team": "a", "title": "moves"]])
            // The row that was there for a moment may have been seen.
            #expect(answer["tables"]?["notes"]?["delete"] == [["id": 2]])
            // Another's cursor, and other claims, begin anew.
            let cursor = answer["cursor"]?.string ?? ""
            #expect(try await pullAll(changes, cursor).resets == 0)
            let other = try await pullAll(changes, cursor, as: "bob")
            #expect(other.resets == 1 && other.upserts == [])
            #expect(try await pullAll(changes, cursor, claims: ["team": "b"]).resets == 1)
        }
    }

    @Test func `a policy, a column and a lost log have the rows read from the start`() async throws {
        try await Self.with { changes in
            try changes.execute("INSERT INTO notes VALUES (1, 'a'), (2, 'b')")
            try await isLogged(changes, 2)
            var last = try await pullAll(changes)
            #expect(last.upserts == [1])
            try changes.execute("DROP POLICY team ON notes; CREATE POLICY all_ ON notes TO authenticated USING (true)")
            last = try await pullAll(changes, last.cursor)
            #expect(last.resets == 1 && last.upserts == [1, 2])
            try changes.execute("ALTER TABLE notes ADD COLUMN more int; GRANT SELECT (more) ON notes TO authenticated")
            last = try await pullAll(changes, last.cursor)
            #expect(last.resets == 1 && last.upserts == [1, 2])
            #expect(try await pullAll(changes, last.cursor).resets == 0)
            try changes.execute("UPDATE swiftlet.change_stream SET epoch = epoch + 1")
            #expect(try await pullAll(changes, last.cursor).resets == 1)
        }
    }

    /// Keys of deleted rows are not kept beyond the log: nobody could say any more who saw them.
    @Test func `a cursor that the log has left behind begins anew, and says nothing of deleted rows`() async throws {
        try await TestChanges.with(Self.tables, reads: false) { changes in
            changes.startReader { $0.maximumLogBytes = 15_000 }
            #expect(try await eventually(within: .seconds(60)) { changes.hub.position != nil })
            try changes.execute("INSERT INTO notes VALUES (1, 'a', 'ours'), (2, 'b', 'theirs'), (3, 'a', 'stays')")
            try await isLogged(changes, 3)
            let first = try await pullAll(changes)
            #expect(first.upserts == [1, 3])
            try changes.execute("DELETE FROM notes WHERE id < 3")
            let deleted = try #require(try changes.query("SELECT pg_current_wal_lsn()")[0][0])
            let isForgotten = try await eventually(within: .seconds(60)) {
                try changes.execute("INSERT INTO notes SELECT max(id) + 1, 'b', repeat('x', 300) FROM notes")
                return try changes.query("SELECT floor_lsn > '\(deleted)' FROM swiftlet.change_stream") == [["t"]]
            }
            #expect(isForgotten)
            let away = try await pullAll(changes, first.cursor)
            #expect(away.resets == 1 && away.upserts == [3] && away.deletes.isEmpty)
        }
    }

    /// PostgreSQL's stream does not have the column, so that nobody can say who saw a row that is gone.
    @Test func `a policy that reads a generated column has the table read from its start`() async throws {
        let sql = """
            CREATE TABLE notes (id int PRIMARY KEY, team text, owner text GENERATED ALWAYS AS (team || '-1') STORED);
            ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
            CREATE POLICY own ON notes TO authenticated USING (owner = 'a-1');
            GRANT SELECT ON notes TO authenticated;
            INSERT INTO notes VALUES (1, 'a'), (2, 'a'), (3, 'b');
            SELECT swiftlet.enable_sync('notes');
            """
        try await Self.with(sql) { changes in
            let first = try await pullAll(changes)
            #expect(first.upserts == [1, 2])
            try changes.execute("DELETE FROM notes WHERE id = 1")
            try await isLogged(changes, 1)
            let last = try await pullAll(changes, first.cursor)
            #expect(last.resets == 1 && last.upserts == [2])
        }
    }

    /// What makes the difference between a cursor that is rarely wrong and one that is not.
    @Test func `a cursor does not pass a change that its snapshot lacks`() async throws {
        try await Self.with { changes in
            let start = try await pullAll(changes)
            try changes.execute("INSERT INTO notes VALUES (1, 'a', 'first')")
            try await isLogged(changes, 1)
            // A transaction that is in the log already, while others do not see it yet.
            let writer = try BlockingConnection.connect(to: changes.url)
            try writer.execute("BEGIN; INSERT INTO notes VALUES (2, 'a', 'late')")
            let number = try writer.query("SELECT txid_current() % 4294967296")[0][0] ?? ""
            try changes.execute(
                """
                INSERT INTO swiftlet.changes (lsn, index, part, transaction, committed_at, relation, operation, new_row)
                SELECT lsn, index + 1, part, \(number), committed_at, relation, 'I', '{"id":2,"team":"a","title":"late"}'
                FROM swiftlet.changes
                """
            )
            let before = try await pullAll(changes, start.cursor)
            #expect(before.upserts == [1])
            try writer.execute("COMMIT")
            #expect(try await pullAll(changes, before.cursor).upserts.contains(2))
        }
    }

    @Test func `the number of a transaction is completed across a turn of the counter`() async throws {
        try await Self.with { changes in
            // A number far ahead of the present one is of the turn before: long visible.
            let start = try await pullAll(changes)
            try changes.execute("INSERT INTO notes VALUES (1, 'a', 'old')")
            try await isLogged(changes, 1)
            try changes.execute("UPDATE swiftlet.changes SET transaction = 4294967000")
            #expect(try await pullAll(changes, start.cursor).upserts == [1])
        }
    }

    @Test func `changes are made once, and refused one by one`() async throws {
        try await Self.with { changes in
            let made =
                #"{"id":1,"table":"notes","op":"insert","key":{"id":1},"values":{"id":1,"team":"a","title":"x"}}"#
            let odd = """
                {"id":2,"table":"members","op":"insert","key":{"id":1},"values":{}},
                {"id":3,"table":"notes","op":"merge","key":{"id":1}},
                {"id":4,"table":"notes","op":"update","key":{"id":1},"values":{"secret":"x"}},
                {"id":5,"table":"notes","op":"update","key":{"id":1},"values":{"nothing":"x"}},
                {"id":6,"table":"notes","op":"update","key":{"id":"; DROP TABLE notes"},"values":{"title":"x"}},
                {"id":7,"table":"notes","op":"update","key":{},"values":{"title":"x"}},
                {"id":8,"table":"notes","op":"update","key":{"id":1},"values":{"id":2}},
                {"id":9,"table":"notes","op":"update","key":{"id":1},"values":{"title":"y"},"if":{"title":"x"}},
                {"id":10,"table":"notes","op":"update","key":{"id":1},"values":{"title":"z"},"if":{"title":"x"}},
                {"id":11,"table":"notes","op":"delete","key":{"id":99}}
                """
            for round in 1...2 {
                let answer = try JSONParser.parse(try await push(changes, "\(made),\(odd)").body)
                #expect(answer["last_id"] == 11)
                let results = answer["results"]?.array ?? []
                #expect(
                    results.map { $0["code"]?.string ?? "-" }
                        == ["-", "42P01", "22023", "42501", "22023", "22P02", "22023", "22023", "-", "40001", "-"]
                )
                #expect(results.map { $0["duplicate"]?.bool } == results.map { _ in round == 2 })
                #expect(results.first?["row"] == ["id": 1, "team": "a", "title": "y"])
                #expect(results.last?["row"] == .null)
            }
            // Another of the same number, a gap, and somebody else's client.
            let forked = #"{"id":11,"table":"notes","op":"delete","key":{"id":1}}"#
            #expect(try await push(changes, forked).text.contains("SYNC_FORKED"))
            #expect(try await push(changes, forked.replacing(":11,", with: ":13,")).text.contains("SYNC_GAP"))
            #expect(
                try await push(changes, forked.replacing(":11,", with: ":12,"), as: "bob").text.contains(
                    "SYNC_CLIENT_TAKEN"
                )
            )
            #expect(try changes.query("SELECT id, title FROM notes") == [["1", "y"]])
            let last = try await send(changes, .get, "?tables=notes&client_id=\(Self.client)")
            #expect(try JSONParser.parse(last.body)["last_id"] == 11)
        }
    }

    @Test func `requests that are none are refused`() async throws {
        try await Self.with { changes in
            for (target, status) in [
                ("", 400), ("?tables=", 400), ("?tables=notes,notes", 400), ("?tables=members", 404),
                ("?tables=x.y", 404),
                ("?tables=notes&since=nonsense", 400), ("?tables=notes&client_id=1", 400),
                ("?tables=\((0..<33).map { "t\($0)" }.joined(separator: ","))", 400),
            ] {
                #expect(try await send(changes, .get, target).status == Status(integerLiteral: status), "\(target)")
            }
            // A cursor whose key is none of the table's.
            let cursor = try #require(SyncCursor((try await pull(changes))["cursor"]?.string ?? ""))
            var forged = cursor
            forged.complete = [:]
            forged.reading = SyncCursor.Reading(
                table: "notes",
                version: cursor.complete["notes"] ?? "",
                key: ["id": "'; DROP TABLE notes"]
            )
            #expect(try await send(changes, .get, "?tables=notes&since=\(forged)").text.contains("INVALID_CURSOR"))
            let many = (1...101).map { #"{"id":\#($0),"table":"notes","op":"delete","key":{"id":1}}"# }
            for mutations in [
                "", "1", #"{"id":0}"#, #"{"id":1},{"id":3}"#, many.joined(separator: ","),
                #"{"id":9223372036854775807},{"id":1}"#, #"{"id":9007199254740993}"#,
            ] {
                #expect(try await push(changes, mutations).status == .badRequest, "\(mutations.prefix(40))")
            }
            let key = try TestApplication.token(claims: ["role": "anon"])
            let nobody = try await changes.application.send(.post, "/realtime/v1/sync", token: key, "{}")
            #expect(nobody.status == .unauthorized)
            #expect(try await changes.application.send(.get, "/realtime/v1/sync?tables=notes").status == .unauthorized)
        }
    }

    @Test func `a policy that hides what it reads must say so`() async throws {
        let function = """
            CREATE FUNCTION my_teams() RETURNS SETOF text STABLE SECURITY DEFINER LANGUAGE sql AS
                $$ SELECT team FROM members WHERE user_id = current_setting('request.jwt.claims', true)::json ->> 'sub' $$;
            ALTER POLICY team ON notes USING (team IN (SELECT my_teams()));
            INSERT INTO notes VALUES (1, 'a'), (2, 'b');
            """
        try await Self.with(Self.tables + function) { changes in
            let refused = try await send(changes, .get, "?tables=notes")
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.text.contains("my_teams()"))
            try changes.execute("SELECT swiftlet.enable_sync('notes', reads => '{members}')")
            var last = try await pullAll(changes)
            #expect(last.upserts == [1])
            // Somebody else's membership, which the caller cannot see.
            try changes.execute("INSERT INTO members VALUES ('bob', 'b')")
            let isRead = try await eventually(within: .seconds(30)) {
                last = try await pullAll(changes, last.cursor)
                return last.resets == 1
            }
            #expect(isRead)
            try changes.execute("SELECT swiftlet.disable_sync('notes')")
            #expect(try await send(changes, .get, "?tables=notes").status == .notFound)
        }
    }

    @Test func `rows beyond the size of an answer come with the next`() async throws {
        try await Self.with { changes in
            let start = try await pullAll(changes)
            try changes.execute("INSERT INTO notes SELECT n, 'a', repeat('x', 900000) FROM generate_series(1, 6) n")
            try await isLogged(changes, 6)
            let first = try await pull(changes, start.cursor)
            #expect(first["more"] == true)
            #expect(first["tables"]?["notes"]?["upsert"]?.array?.count == 3)
            #expect(Set(try await pullAll(changes, start.cursor).upserts) == Set(1...6))
            #expect(try await pullAll(changes).upserts == Array(1...6))
        }
    }
}
