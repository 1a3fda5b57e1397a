import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct ChangeHubTests {
    private func member(of team: String) -> JSONObject {
        ["role": "authenticated", "sub": "\(team)-1", "team": .string(team)]
    }

    @Test func `a change has the shape that the official clients read`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1, 'a', 'one')")
            try changes.execute("UPDATE todos SET done = true")
            try changes.execute("DELETE FROM todos")
            try await received.wait(for: 3)
            let columns: JSONValue = [
                ["name": "id", "type": "int4"], ["name": "team", "type": "text"], ["name": "title", "type": "text"],
                ["name": "done", "type": "bool"],
            ]
            let before: JSONValue = ["id": 1, "team": "a", "title": "one", "done": false]
            let after: JSONValue = ["id": 1, "team": "a", "title": "one", "done": true]
            let kinds: [(String, JSONValue?, JSONValue?)] = [
                ("INSERT", before, nil), ("UPDATE", after, before), ("DELETE", nil, after),
            ]
            for (change, (kind, record, old)) in zip(received.changes, kinds) {
                #expect(change["schema"] == "public")
                #expect(change["table"] == "todos")
                #expect(change["type"]?.string == kind)
                #expect(change["columns"] == columns)
                #expect(change["record"] == record)
                #expect(change["old_record"] == old)
                #expect(change["errors"] == .null)
                let time = try #require(change["commit_timestamp"]?.string)
                #expect(time.wholeMatch(of: #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/#) != nil)
            }
            #expect(received.changes.map { $0["pos"]?.string } == received.positions.map(\.description))
        }
    }

    @Test func `who comes before the log is read shall come again, but not where nobody reads it`() async throws {
        try await TestChanges.with(reads: false) { changes async throws in
            let hub = ChangeHub(database: changes.database, logger: TestApplication.silent, patience: .zero)
            let caller = ChangeCaller(try User(payload: Array(JSONValue.object(member(of: "a")).description.utf8)))
            func subscribe() async throws {
                _ = try await hub.subscribe(to: [ChangeRequest(table: "todos")], as: caller) { _ in true }
            }
            await #expect(throws: ChangeCursorError.unread) { try await subscribe() }
            hub.expectReading { false }
            await #expect(throws: ChangeCursorError.unavailable) { try await subscribe() }
            hub.expectReading { true }
            await #expect(throws: ChangeCursorError.unread) { try await subscribe() }
        }
    }

    @Test func `while nobody listens the position goes on, and whoever begins gets what is behind it`() async throws {
        try await TestChanges.with { changes async throws in
            let before = try #require(changes.hub.position)
            try changes.execute("INSERT INTO todos SELECT generate_series(1, 1200)")
            let log = ChangeLog(database: changes.database)
            let hasPassed = try await eventually(within: .seconds(60)) {
                let last = try await log.state().last
                return try changes.hub.position == last
                    && changes.query("SELECT count(*) FROM swiftlet.changes") == [["1200"]]
            }
            #expect(hasPassed)
            let live = try await changes.subscriber()
            let resuming = try await changes.subscriber(after: before)
            try changes.execute("INSERT INTO todos VALUES (1201)")
            try await live.wait(for: 1)
            try await resuming.wait(for: 1201)
            #expect(live.summary == ["INSERT 1201"])
            #expect(resuming.summary == (1...1201).map { "INSERT \($0)" })
            // Also where the log begins anew meanwhile.
            for received in [live, resuming] {
                if let subscriber = received.subscriber { changes.hub.remove(subscriber) }
            }
            try changes.execute("UPDATE swiftlet.change_stream SET floor_lsn = NULL")
            try changes.killReader()
            let isAnew = try await eventually(within: .seconds(60)) {
                changes.hub.look()
                return changes.hub.position.map { $0.epoch > before.epoch } == true
            }
            #expect(isAnew)
            let next = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1202)")
            try await next.wait(for: 1)
            #expect(next.summary == ["INSERT 1202"])
        }
    }

    @Test func `row security decides on the images, for rows that come into sight and leave it`() async throws {
        try await TestChanges.with(TestChanges.todos + TestChanges.teamPolicy) { changes async throws in
            let a = try await changes.subscriber(member(of: "a"))
            let b = try await changes.subscriber(member(of: "b"))
            let anonymous = try await changes.subscriber(["role": "anon"])
            let service = try await changes.subscriber()
            // All in one transaction: at its end no row is left to look at.
            try changes.execute(
                """
                BEGIN; INSERT INTO todos VALUES (1, 'a', 'secret of a'), (2, 'b', NULL); UPDATE todos SET title = 'x' WHERE id = 2;
                UPDATE todos SET team = 'b' WHERE id = 1; DELETE FROM todos; COMMIT
                """
            )
            try await service.wait(for: 6)
            try await b.wait(for: 5)
            try await a.wait(for: 2)
            #expect(
                service.summary == ["INSERT 1", "INSERT 2", "UPDATE 2", "UPDATE 1", "DELETE 2", "DELETE 1"]
                    || service.summary == ["INSERT 1", "INSERT 2", "UPDATE 2", "UPDATE 1", "DELETE 1", "DELETE 2"]
            )
            #expect(a.summary == ["INSERT 1", "DELETE 1"])
            #expect(a.changes[1]["old_record"] == ["id": 1])
            #expect(b.summary.prefix(3) == ["INSERT 2", "UPDATE 2", "UPDATE 1"])
            #expect(Set(b.summary.suffix(2)) == ["DELETE 1", "DELETE 2"])
            // What it was before it came into sight is nobody's business, and of a deleted row only the key.
            #expect(b.changes[2]["old_record"] == ["id": 1])
            #expect(b.changes[3]["old_record"]?.object?.keys == ["id"])
            #expect(anonymous.deliveries.isEmpty)
        }
    }

    @Test func `our answer is PostgreSQL's own, for policies of many kinds`() async throws {
        let policies = [
            "true", "false", "NULL", "team IS NULL", "done", "NOT done AND team = 'a'", "id % 3 = 0",
            "(current_setting('request.jwt.claims', true)::json ->> 'team') = team",
            "EXISTS (SELECT 1 FROM members WHERE members.team = todos.team AND members.person = 'p')",
            "title LIKE 't%' OR id IN (SELECT id FROM chosen)", "length(todos.title) > 3", "(todos).id > 5",
            "own_team() = team",
        ]
        let sql =
            TestChanges.todos + """
                CREATE TABLE members (team text, person text); INSERT INTO members VALUES ('a', 'p'), ('b', 'q');
                CREATE TABLE chosen (id int); INSERT INTO chosen VALUES (3), (7);
                GRANT SELECT ON members, chosen TO authenticated;
                ALTER TABLE todos ENABLE ROW LEVEL SECURITY;
                CREATE FUNCTION own_claims() RETURNS json LANGUAGE sql STABLE
                    AS $$ SELECT current_setting('request.jwt.claims', true)::json $$;
                CREATE FUNCTION own_team() RETURNS text LANGUAGE sql STABLE AS $$ SELECT own_claims() ->> 'team' $$;
                """
        try await TestChanges.with(sql) { changes async throws in
            for (number, policy) in policies.enumerated() {
                let kind = number == 4 ? "RESTRICTIVE" : "PERMISSIVE"
                try changes.execute(
                    """
                    TRUNCATE todos; DROP POLICY IF EXISTS open ON todos; DROP POLICY IF EXISTS tried ON todos;
                    CREATE POLICY tried ON todos AS \(kind) FOR SELECT TO authenticated USING (\(policy));
                    """
                )
                if number == 4 {
                    try changes.execute("CREATE POLICY open ON todos FOR ALL TO PUBLIC USING (id > 2)")
                }
                let received = try await changes.subscriber(member(of: "a"))
                let all = try await changes.subscriber()
                try changes.execute(
                    """
                    INSERT INTO todos SELECT n, (ARRAY['a', 'b', NULL])[1 + n % 3], repeat('t', n % 6), n % 2 = 0
                    FROM generate_series(1, 12) AS n
                    """
                )
                try await all.wait(for: 12)
                let rows = try visible(changes)
                try await received.wait(for: rows.count)
                #expect(received.summary == rows.map { "INSERT \($0)" }, "\(policy)")
                received.subscriber.map { changes.hub.remove($0) }
                all.subscriber.map { changes.hub.remove($0) }
            }
        }
    }

    /// The ids that a member of team a selects.
    private func visible(_ changes: TestChanges) throws -> [Int] {
        let connection = try BlockingConnection.connect(to: changes.url)
        try connection.execute(#"SET ROLE authenticated; SET request.jwt.claims = '{"team":"a"}'"#)
        return try connection.query("SELECT id FROM todos ORDER BY id").compactMap { $0[0].flatMap { Int($0) } }
    }

    @Test func `a policy that is changed or taken away counts from the next change on`() async throws {
        try await TestChanges.with(TestChanges.todos + TestChanges.teamPolicy) { changes async throws in
            let a = try await changes.subscriber(member(of: "a"))
            let service = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1, 'b'); INSERT INTO todos VALUES (2, 'a')")
            try await service.wait(for: 2)
            try await a.wait(for: 1)
            try changes.execute("ALTER POLICY own ON todos USING (team = 'b')")
            try changes.execute("INSERT INTO todos VALUES (3, 'b'), (4, 'a')")
            try await a.wait(for: 2)
            try changes.execute("DROP POLICY own ON todos; INSERT INTO todos VALUES (5, 'a'), (6, 'b')")
            try await service.wait(for: 6)
            try changes.execute("ALTER TABLE todos DISABLE ROW LEVEL SECURITY; INSERT INTO todos VALUES (7)")
            try await a.wait(for: 3)
            try changes.execute("REVOKE SELECT ON todos FROM authenticated; INSERT INTO todos VALUES (8)")
            try await service.wait(for: 8)
            try changes.execute("GRANT SELECT (id) ON todos TO authenticated; INSERT INTO todos VALUES (9, 'secret')")
            try await a.wait(for: 4)
            #expect(a.summary == ["INSERT 2", "INSERT 3", "INSERT 7", "INSERT 9"])
            #expect(a.changes.last?["record"] == ["id": 9])
        }
    }

    @Test func `a policy that fails hides its rows and holds up nobody`() async throws {
        let sql =
            TestChanges.todos + """
                ALTER TABLE todos ENABLE ROW LEVEL SECURITY;
                CREATE POLICY broken ON todos FOR SELECT TO authenticated USING (1 / (id - 1) > 0);
                """
        try await TestChanges.with(sql) { changes async throws in
            let member = try await changes.subscriber(member(of: "a"))
            let service = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1)")
            try await service.wait(for: 1)
            try changes.execute("INSERT INTO todos VALUES (2)")
            try await member.wait(for: 1)
            #expect(member.summary == ["INSERT 2"])
        }
    }

    @Test func `of a secured table whose keys alone are logged, deletes are told to nobody`() async throws {
        let sql = TestChanges.todos + TestChanges.teamPolicy + "ALTER TABLE todos REPLICA IDENTITY DEFAULT;"
        try await TestChanges.with(sql) { changes async throws in
            let a = try await changes.subscriber(member(of: "a"))
            let service = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1, 'a'); DELETE FROM todos")
            try changes.execute("INSERT INTO todos VALUES (2, 'a')")
            try await a.wait(for: 2)
            try await service.wait(for: 3)
            #expect(a.summary == ["INSERT 1", "INSERT 2"])
            #expect(service.summary == ["INSERT 1", "DELETE 1", "INSERT 2"])
        }
    }

    @Test(arguments: [
        ("id=eq.03", ["INSERT 3"]), ("id=neq.3", ["INSERT 1", "INSERT 2", "INSERT 4"]),
        ("id=in.(1,4)", ["INSERT 1", "INSERT 4"]), ("id=gt.2,team=eq.a", ["INSERT 3"]),
        ("team=gte.b", ["INSERT 2", "INSERT 4"]), ("done=eq.true", ["INSERT 4"]), ("title=eq.\"x,y\"", ["INSERT 2"]),
    ])
    func `filters choose by values as PostgreSQL reads them`(filter: String, expected: [String]) async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber(
                ["role": "service_role"],
                ChangeRequest(table: "todos", filter: filter)
            )
            let all = try await changes.subscriber()
            try changes.execute(
                "INSERT INTO todos VALUES (1, 'a'); INSERT INTO todos VALUES (2, 'b', 'x,y'), (3, 'a', 'z');"
                    + "INSERT INTO todos VALUES (4, 'b', NULL, true)"
            )
            try await all.wait(for: 4)
            try await received.wait(for: expected.count)
            #expect(received.summary == expected)
        }
    }

    @Test(
        arguments: [
            ("*", "id=eq.x", "Error parsing `filter` params"),
            ("*", "nothing=eq.1", "invalid column for filter nothing"),
            ("SELECT", nil, "invalid event"), ("*", "id=in.1", "parentheses"),
        ] as [(String, String?, String)]
    )
    func `what cannot be subscribed to is refused with its reason`(
        event: String,
        filter: String?,
        reason: String
    ) async throws {
        try await TestChanges.with { changes async throws in
            let error = try await #require(throws: ChangeRequestError.self) {
                _ = try await changes.subscriber(
                    ["role": "service_role"],
                    ChangeRequest(event: event, table: "todos", filter: filter)
                )
            }
            #expect(error.message.contains(reason))
        }
    }

    @Test func `one event, another schema's table and all tables are told apart`() async throws {
        let sql =
            TestChanges.todos + """
                CREATE SCHEMA other; CREATE TABLE other.todos (id int PRIMARY KEY);
                ALTER PUBLICATION supabase_realtime ADD TABLE other.todos;
                """
        try await TestChanges.with(sql) { changes async throws in
            let service: JSONObject = ["role": "postgres"]
            let updates = try await changes.subscriber(service, ChangeRequest(event: "UPDATE", table: "todos"))
            let other = try await changes.subscriber(service, ChangeRequest(schema: "other", table: "todos"))
            let all = try await changes.subscriber(service, ChangeRequest())
            try changes.execute(
                """
                INSERT INTO todos VALUES (1); UPDATE todos SET done = true; INSERT INTO other.todos VALUES (2);
                DELETE FROM todos
                """
            )
            try await all.wait(for: 3)
            try await other.wait(for: 1)
            try await updates.wait(for: 1)
            #expect(all.summary == ["INSERT 1", "UPDATE 1", "DELETE 1"])
            #expect(other.summary == ["INSERT 2"])
            #expect(updates.summary == ["UPDATE 1"])
        }
    }

    @Test func `who is slow gets everything later, in order and once`() async throws {
        try await TestChanges.with { changes async throws in
            let slow = try await changes.subscriber()
            let fast = try await changes.subscriber()
            slow.setRoom(5)
            for first in 0..<10 {
                try changes.execute(
                    "INSERT INTO todos SELECT generate_series(\(first * 100 + 1), \(first * 100 + 100))"
                )
            }
            try await fast.wait(for: 1000)
            #expect(slow.deliveries.count == 5)
            slow.setRoom(700)
            try await slow.wait(for: 705)
            slow.setRoom(.max)
            try await slow.wait(for: 1000)
            #expect(slow.summary == (1...1000).map { "INSERT \($0)" })
            #expect(slow.positions == fast.positions)
        }
    }

    @Test func `who comes back with a position gets what it missed, also within a transaction`() async throws {
        try await TestChanges.with { changes async throws in
            let first = try await changes.subscriber()
            try changes.execute("INSERT INTO todos SELECT generate_series(1, 1200)")
            try await first.wait(for: 1200)
            let positions = first.positions
            let again = try await changes.subscriber(after: positions[599])
            try changes.execute("INSERT INTO todos VALUES (1201)")
            try await again.wait(for: 601)
            #expect(again.summary == (601...1201).map { "INSERT \($0)" })
            let unknown = ChangePosition(
                epoch: positions[0].epoch,
                commit: .init(rawValue: .max >> 1),
                index: 1
            )
            await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: unknown) }
        }
    }

    @Test func `a column that is added and a table that is dropped disturb nothing`() async throws {
        let sql =
            TestChanges.todos + """
                CREATE TABLE doomed (id int PRIMARY KEY); ALTER PUBLICATION supabase_realtime ADD TABLE doomed;
                """
        try await TestChanges.with(sql) { changes async throws in
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1)")
            try changes.execute("INSERT INTO doomed VALUES (1); DROP TABLE doomed")
            try changes.execute("ALTER TABLE todos ADD COLUMN place point; INSERT INTO todos VALUES (2)")
            try await received.wait(for: 2)
            #expect(received.summary == ["INSERT 1", "INSERT 2"])
            #expect(received.changes[1]["record"]?["place"] == .null)
            #expect(received.changes[1]["columns"]?.array?.count == 5)
        }
    }

    @Test func `what is too large is told with its short values`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1, 'a', repeat('x', 1000000))")
            try await received.wait(for: 1)
            let change = try #require(received.changes.first)
            #expect(change["record"] == ["id": 1, "team": "a", "done": false])
            #expect(change["errors"] == ["Error 413: Payload Too Large"])
        }
    }
}
