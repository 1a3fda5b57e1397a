import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct ChangeReaderTests {
    /// Every type that becomes something else than a string, and some that do not.
    private static let values = """
        CREATE TYPE mood AS ENUM ('fine, "really"');
        CREATE DOMAIN amount AS numeric CHECK (VALUE > 0);
        CREATE TABLE odd (
            id bigint PRIMARY KEY, flag boolean, small smallint, price numeric, ratio double precision, rate real,
            document jsonb, raw json, day date, clock time, moment timestamp, instant timestamptz, key uuid, bytes bytea,
            texts text[], numbers int[], grid int[][], flags boolean[], moments timestamptz[], documents jsonb[],
            mood mood, moods mood[], amount amount, period interval, span int4range, address inet, "odd ""name" text
        );
        CREATE PUBLICATION supabase_realtime FOR TABLE odd;
        """

    private static let rows = """
        INSERT INTO odd VALUES (
            9007199254740993, true, -3, 1.50, 1e300, 0.1, '{"b": [1, 2.50, null], "a": "é\\"\\\\"}', '{"x" : 1}', '2026-01-31',
            '12:30:00.5', '2026-01-31 12:30:00.123456', '2026-01-31 12:30:00+02', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11',
            '\\x00ff', ARRAY['a', NULL, 'b,c', 'NULL', '"q"', 'back\\slash', ''], '{1,NULL,3}', '{{1,2},{3,4}}', '{t,f}',
            ARRAY['2026-01-31 12:30:00+00'::timestamptz], ARRAY['{"a": "b,}"}'::jsonb], 'fine, "really"',
            ARRAY['fine, "really"'::mood], 7.5, '1 day 02:00', '[1,5)', '10.0.0.1', E'line\\nbreak\\ttab \\u0001'
        );
        INSERT INTO odd (id) VALUES (2);
        INSERT INTO odd (id, price, ratio, instant, moment, numbers, texts)
            VALUES (3, 'NaN', 'Infinity', 'infinity', '-infinity', '[0:1]={7,8}', '{}');
        INSERT INTO odd (id, instant, moment, ratio) VALUES (4, '0044-03-15 12:00:00 BC', '12026-01-01 00:00:00', 1e-7)
        """

    @Test func `rows are logged as to_jsonb writes them`() async throws {
        try await TestChanges.with(Self.values) { changes async throws in
            try changes.execute(Self.rows)
            let isLogged = try await eventually {
                try changes.query("SELECT count(*) FROM swiftlet.changes") == [["4"]]
            }
            #expect(isLogged)
            let different = try changes.query(
                """
                SELECT odd.id, theirs.key, theirs.value, new_row::jsonb -> theirs.key FROM odd
                JOIN swiftlet.changes ON new_row::jsonb -> 'id' = to_jsonb(odd.id)
                CROSS JOIN LATERAL jsonb_each(to_jsonb(odd)) AS theirs
                WHERE theirs.value IS DISTINCT FROM new_row::jsonb -> theirs.key
                """
            )
            #expect(different.isEmpty, "\(different)")
            let identical = try changes.query(
                """
                SELECT count(*) FROM odd JOIN swiftlet.changes ON new_row::jsonb -> 'id' = to_jsonb(odd.id)
                WHERE new_row::jsonb = to_jsonb(odd)
                """
            )
            #expect(identical == [["4"]])
        }
    }

    @Test func `a transaction's changes are logged in order, with the rows before them`() async throws {
        try await TestChanges.with { changes async throws in
            try changes.execute(
                """
                BEGIN; INSERT INTO todos VALUES (1, 'a', 'one'); UPDATE todos SET title = 'two';
                DELETE FROM todos; TRUNCATE todos; COMMIT
                """
            )
            let isLogged = try await eventually {
                try changes.query("SELECT count(*) FROM swiftlet.changes") == [["4"]]
            }
            #expect(isLogged)
            let logged = try changes.query(
                """
                SELECT index, operation, new_row ->> 'title', old_row ->> 'title', old_is_whole
                FROM swiftlet.changes ORDER BY lsn, index
                """
            )
            #expect(
                logged == [
                    ["1", "I", "one", nil, "f"], ["2", "U", "two", "one", "t"], ["3", "D", nil, "two", "t"],
                    ["4", "T", nil, nil, "f"],
                ]
            )
        }
    }

    @Test func `with the key alone logged, an update tells the key also where it has not changed`() async throws {
        try await TestChanges.with(TestChanges.todos + "ALTER TABLE todos REPLICA IDENTITY DEFAULT") {
            changes async throws in
            try changes.execute("INSERT INTO todos VALUES (1, 'a', 'one')")
            try changes.execute("UPDATE todos SET title = 'two'")
            try changes.execute("UPDATE todos SET id = 2")
            let isLogged = try await eventually {
                try changes.query("SELECT count(*) FROM swiftlet.changes") == [["3"]]
            }
            #expect(isLogged)
            let logged = try changes.query("SELECT old_row FROM swiftlet.changes WHERE operation = 'U' ORDER BY lsn")
            #expect(logged == [[#"{"id":1}"#], [#"{"id":1}"#]])
        }
    }

    @Test func `of several readers one reads, and another goes on when it is gone`() async throws {
        try await TestChanges.with(reads: false) { changes async throws in
            let readers = (0..<3).map { _ in changes.startReader() }
            let isOneReading = try await eventually {
                readers.count { $0.condition == .reading } == 1 && readers.count { $0.condition == .waiting } == 2
            }
            #expect(isOneReading)
            let received = try await changes.subscriber()
            for id in 1...6 {
                try changes.execute("INSERT INTO todos VALUES (\(id))")
                if id % 2 == 0 { try changes.killReader() }
            }
            try await received.wait(for: 6)
            #expect(received.summary == (1...6).map { "INSERT \($0)" })
        }
    }

    @Test func `what is in the log is confirmed, so that PostgreSQL keeps no more`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos SELECT generate_series(1, 3000)")
            try await received.wait(for: 3000)
            #expect(received.summary == (1...3000).map { "INSERT \($0)" })
            let isConfirmed = try await eventually {
                try changes.query(
                    """
                    SELECT confirmed_flush_lsn > last_lsn FROM pg_replication_slots, swiftlet.change_stream
                    WHERE database = current_database()
                    """
                ) == [["t"]]
            }
            #expect(isConfirmed)
        }
    }

    @Test func `a slot that is gone begins a new epoch, of which subscribers are told`() async throws {
        try await TestChanges.with { changes async throws in
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1)")
            try await received.wait(for: 1)
            let before = try #require(received.positions.last)
            // It is free for a moment only.
            let isDropped = try await eventually {
                try changes.killReader()
                return
                    (try? changes.query(
                        """
                        SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
                        WHERE database = current_database()
                        """
                    ))?.count == 1
            }
            #expect(isDropped)
            let isTold = try await eventually(within: .seconds(60)) { received.resets == 1 }
            #expect(isTold)
            try changes.execute("INSERT INTO todos VALUES (2)")
            try await received.wait(for: 3)
            #expect(received.summary == ["INSERT 1", "INSERT 2"])
            let after = try #require(received.positions.last)
            #expect(after.epoch > before.epoch)
            await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: before) }
        }
    }

    @Test func `a new slot's positions are behind all others, also where PostgreSQL's clock was put back`() async throws
    {
        try await TestChanges.with(reads: false) { changes async throws in
            // Of a time that is still to come, as the clock was when it began.
            try changes.execute("UPDATE swiftlet.change_stream SET epoch = 50000000000")
            changes.startReader()
            let isLater = try await eventually(within: .seconds(60)) { changes.hub.position?.epoch == 50_000_000_001 }
            #expect(isLater)
            let received = try await changes.subscriber()
            try changes.execute("INSERT INTO todos VALUES (1)")
            try await received.wait(for: 1)
            #expect(received.summary == ["INSERT 1"])
        }
    }

    @Test func `making a slot that was interrupted is begun again`() async throws {
        try await TestChanges.with { changes async throws in
            let first = try await changes.subscriber()
            // As if the server had died between the two steps.
            try changes.execute("UPDATE swiftlet.change_stream SET floor_lsn = NULL")
            try changes.killReader()
            let isTold = try await eventually(within: .seconds(60)) { first.resets == 1 }
            #expect(isTold)
            try changes.execute("INSERT INTO todos VALUES (1)")
            try await first.wait(for: 2)
            #expect(first.summary == ["INSERT 1"])
        }
    }

    @Test func `without a published table there is no slot, and with the first one there is`() async throws {
        try await TestChanges.with("CREATE TABLE todos (id int PRIMARY KEY)", reads: false) { changes async throws in
            let reader = changes.startReader()
            let isIdle = try await eventually {
                if case .idle(let reason) = reader.condition { reason.contains("realtime add") } else { false }
            }
            #expect(isIdle)
            let none = try changes.query("SELECT 1 FROM pg_replication_slots WHERE database = current_database()")
            #expect(none.isEmpty)
            try changes.execute("CREATE PUBLICATION supabase_realtime FOR TABLE todos")
            #expect(try await eventually(within: .seconds(60)) { reader.condition == .reading })
        }
    }

    @Test func `a publication that is made anew is read again`() async throws {
        try await TestChanges.with { changes async throws in
            try changes.execute("DROP PUBLICATION supabase_realtime")
            try changes.execute("INSERT INTO todos VALUES (1)")
            try changes.execute("CREATE PUBLICATION supabase_realtime FOR TABLE todos")
            let received = try await changes.subscriber()
            let isTold = try await eventually(within: .seconds(60)) {
                try changes.execute("INSERT INTO todos SELECT coalesce(max(id), 0) + 1 FROM todos")
                try await Task.sleep(for: .milliseconds(100))
                return received.summary.last?.hasPrefix("INSERT") == true
            }
            #expect(isTold)
        }
    }

    @Test func `everything published does not mean the log's own tables`() async throws {
        let sql = """
            CREATE TABLE todos (id int PRIMARY KEY); GRANT SELECT ON todos TO service_role;
            CREATE PUBLICATION supabase_realtime FOR ALL TABLES;
            """
        try await TestChanges.with(sql) { changes async throws in
            let received = try await changes.subscriber()
            for id in 1...3 { try changes.execute("INSERT INTO todos VALUES (\(id))") }
            try await received.wait(for: 3)
            #expect(try changes.query("SELECT count(*) FROM swiftlet.changes") == [["3"]])
        }
    }

    @Test func `the log goes round in a ring, and positions that it has left are refused`() async throws {
        try await TestChanges.with(reads: false) { changes async throws in
            // Some rows fill a table of it.
            changes.startReader { $0.maximumLogBytes = 15_000 }
            #expect(try await eventually(within: .seconds(60)) { changes.hub.position != nil })
            let received = try await changes.subscriber()
            for first in 0..<40 {
                let (from, to) = (first * 10 + 1, first * 10 + 10)
                try changes.execute(
                    "INSERT INTO todos SELECT n, 'a', repeat('t', 100) FROM generate_series(\(from), \(to)) n"
                )
                try await received.wait(for: (first + 1) * 10)
            }
            #expect(received.resets == 0)
            let kept = try changes.query("SELECT count(*) BETWEEN 40 AND 200 FROM swiftlet.changes")
            #expect(kept == [["t"]])
            let positions = received.positions
            await #expect(throws: ChangeCursorError.expired) { _ = try await changes.subscriber(after: positions[0]) }
            let again = try await changes.subscriber(after: positions[positions.count - 21])
            try await again.wait(for: 20)
            #expect(again.positions == Array(positions.suffix(20)))
        }
    }
}
