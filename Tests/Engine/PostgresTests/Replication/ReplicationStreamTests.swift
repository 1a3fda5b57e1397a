import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

/// The stream of a real server. Slots are of the whole server, so each test names its own.
@Suite(.needsDatabase, .serialized, .hangLimit)
struct ReplicationStreamTests {
    private static let tasks = """
        CREATE TABLE tasks (id int PRIMARY KEY, title text, notes text);
        ALTER TABLE tasks ALTER COLUMN notes SET STORAGE EXTERNAL;
        CREATE PUBLICATION live FOR TABLE tasks;
        """

    private struct Server {
        let loop: EventLoop
        let administrator: TestPool
        let slot: String

        func connect() async throws -> ReplicationStream {
            try await ReplicationStream.connect(to: administrator.url, on: loop)
        }

        /// The stream of the slot, which is made first if it is new.
        func stream(temporary: Bool = true) async throws -> ReplicationStream {
            let stream = try await connect()
            if try administrator.administer("SELECT 1 FROM pg_replication_slots WHERE slot_name = $1", [slot]).isEmpty {
                let kind = temporary ? "TEMPORARY " : ""
                try await stream.query("CREATE_REPLICATION_SLOT \(slot) \(kind)LOGICAL pgoutput NOEXPORT_SNAPSHOT")
            }
            try await stream.start(slot: slot, publication: "live")
            return stream
        }

        func execute(_ script: String) throws {
            try BlockingConnection.connect(to: administrator.url).execute(script)
        }
    }

    private func withServer(_ script: String = tasks, _ body: (Server) async throws -> Void) async throws {
        try await TestPool.with(script) { pool async throws in
            let name = try #require(try pool.administer("SELECT current_database()").first?[0])
            let server = Server(loop: pool.loop, administrator: pool, slot: name)
            do { try await body(server) } catch {
                try dropSlot(of: server)
                throw error
            }
            try dropSlot(of: server)
        }
    }

    private func dropSlot(of server: Server) throws {
        try server.administrator.administer(
            """
            SELECT pg_terminate_backend(active_pid), pg_sleep(0.05) FROM pg_replication_slots
            WHERE slot_name = $1 AND active
            """,
            [server.slot]
        )
        try server.administrator.administer(
            "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT temporary",
            [server.slot]
        )
    }

    /// Takes messages until the commit of so many transactions that have changes has come.
    private func transactions(_ count: Int, of stream: ReplicationStream) async throws -> [[LogicalMessage]] {
        var all: [[LogicalMessage]] = []
        var current: [LogicalMessage] = []
        while all.count < count {
            for message in try await stream.next() {
                current.append(message)
                if case .commit = message {
                    // A server before version 15 also sends transactions without changes.
                    if current.count > 2 { all.append(current) }
                    current = []
                }
            }
        }
        return all
    }

    @Test func `inserts, updates, deletes and truncations come in order, with the relation first`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            try server.execute(
                """
                BEGIN;
                INSERT INTO tasks VALUES (1, 'one'), (2, NULL);
                UPDATE tasks SET title = 'first' WHERE id = 1;
                UPDATE tasks SET id = 3 WHERE id = 2;
                DELETE FROM tasks WHERE id = 3;
                TRUNCATE tasks;
                COMMIT
                """
            )
            // Truncating makes the server describe the table once more.
            let messages = try await transactions(1, of: stream)[0].enumerated().compactMap { index, message in
                if index > 1, case .relation = message { return LogicalMessage?.none }
                return message
            }
            guard messages.count == 9, case .begin = messages[0], case .relation(let relation) = messages[1],
                case .insert(_, let first) = messages[2], case .insert(_, let second) = messages[3],
                case .update(_, nil, let updated) = messages[4],
                case .update(_, .key(let oldKey)?, let moved) = messages[5],
                case .delete(_, .key(let deleted)) = messages[6], case .truncate(let relations) = messages[7]
            else { throw ReplicationMessageError.invalid }
            #expect(relation.schema == "public")
            #expect(relation.name == "tasks")
            #expect(relation.columns.map(\.name) == ["id", "title", "notes"])
            #expect(relation.columns.map(\.isKey) == [true, false, false])
            #expect(relation.columns.map(\.type) == [23, 25, 25])
            #expect([first.text(0), first.text(1), second.text(0)] == ["1", "one", "2"])
            #expect(second.cells[1] == .null)
            #expect(updated.text(1) == "first")
            #expect([oldKey.text(0), moved.text(0), deleted.text(0)] == ["2", "3", "3"])
            #expect(relations == [relation.id])
        }
    }

    @Test func `a large value that did not change is left out, and is in the whole old row`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            try server.execute("INSERT INTO tasks VALUES (1, 'one', repeat('x', 9000))")
            try server.execute("UPDATE tasks SET title = 'two'")
            try server.execute("ALTER TABLE tasks REPLICA IDENTITY FULL; UPDATE tasks SET title = 'three'")
            let found = try await transactions(3, of: stream)
            guard case .update(_, nil, let second)? = found[1].dropLast().last,
                case .update(_, .full(let old)?, let third)? = found[2].dropLast().last
            else { throw ReplicationMessageError.invalid }
            #expect(second.cells[2] == .unchanged)
            #expect(third.cells[2] == .unchanged)
            #expect(old.text(1) == "two")
            #expect(old.text(2)?.utf8.count == 9000)
        }
    }

    @Test func `a column that is added is described before the next change`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            try server.execute("CREATE TYPE mood AS ENUM ('fine'); INSERT INTO tasks VALUES (1)")
            try server.execute(
                "ALTER TABLE tasks ADD COLUMN mood mood; INSERT INTO tasks (id, mood) VALUES (2, 'fine')"
            )
            let second = try await transactions(2, of: stream)[1]
            guard case .type(let type, "public", "mood") = second[1], case .relation(let relation) = second[2],
                case .insert(_, let row) = second[3]
            else { throw ReplicationMessageError.invalid }
            #expect(relation.columns.last == ReplicatedRelation.Column(name: "mood", type: type))
            #expect(row.text(3) == "fine")
        }
    }

    @Test func `what was not confirmed comes again at the same positions, and what was confirmed never`() async throws {
        try await withServer { server async throws in
            var stream = try await server.stream(temporary: false)
            for id in 1...3 { try server.execute("INSERT INTO tasks VALUES (\(id))") }
            let before = try await transactions(3, of: stream)
            guard case .commit(_, let end, _)? = before[0].last else { throw ReplicationMessageError.invalid }
            stream.confirm(end)
            let isConfirmed = try await eventually {
                try server.administrator.administer(
                    "SELECT confirmed_flush_lsn = $1::pg_lsn FROM pg_replication_slots WHERE slot_name = $2",
                    [end.description, server.slot]
                ) == [["t"]]
            }
            #expect(isConfirmed)
            stream.close()
            let isFree = try await eventually {
                try server.administrator.administer(
                    "SELECT active FROM pg_replication_slots WHERE slot_name = $1",
                    [server.slot]
                ) == [["f"]]
            }
            #expect(isFree)
            stream = try await server.stream()
            let again = try await transactions(2, of: stream)
            // Relations are described anew to each connection.
            let changes = { (messages: [LogicalMessage]) in
                messages.filter { if case .relation = $0 { false } else { true } }
            }
            #expect(again.map(\.first) == before[1...].map(\.first))
            #expect(again.map { changes($0).count } == before[1...].map { changes($0).count })
            stream.close()
        }
    }

    @Test func `the log of other tables is confirmed while nothing waits`() async throws {
        try await withServer(Self.tasks + "CREATE TABLE others (n int)") { server async throws in
            let stream = try await server.stream(temporary: false)
            try server.execute("INSERT INTO others SELECT generate_series(1, 5000)")
            let end = try #require(try server.administrator.administer("SELECT pg_current_wal_lsn()").first?[0])
            let isPassed = try await eventually {
                try server.administrator.administer(
                    "SELECT confirmed_flush_lsn >= $1::pg_lsn FROM pg_replication_slots WHERE slot_name = $2",
                    [end, server.slot]
                ) == [["t"]]
            }
            #expect(isPassed)
            stream.close()
        }
    }

    @Test func `a consumer that is slow gets a large transaction whole and in order`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            try server.execute("INSERT INTO tasks SELECT n, repeat('t', 200) FROM generate_series(1, 60000) AS n")
            var next = 1
            var largest = 0
            while next <= 60000 {
                let messages = try await stream.next()
                largest = max(largest, messages.count)
                for case .insert(_, let row) in messages {
                    #expect(row.text(0) == String(next))
                    next += 1
                }
            }
            // Four million bytes of messages of more than 200, and what was read in the last turn.
            #expect(largest < 20_000)
        }
    }

    @Test func `a stream that the server ends tells why, and further calls do as well`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            try server.administrator.administer(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = $1",
                [server.slot]
            )
            let first = try await #require(throws: PostgresError.self) { while true { _ = try await stream.next() } }
            #expect(first.state == .adminShutdown)
            await #expect(throws: PostgresError.self) { _ = try await stream.next() }
            await #expect(throws: PostgresError.self) { try await stream.query("SELECT 1") }
        }
    }

    @Test func `a slot that is missing or in use is refused by its SQLSTATE`() async throws {
        try await withServer { server async throws in
            let stream = try await server.connect()
            let missing = try await #require(throws: PostgresError.self) {
                try await stream.start(slot: "no_such_slot", publication: "live")
            }
            #expect(missing.state == .undefinedObject)
            #expect(try await stream.query("SELECT 'still here'") == [["still here"]])
            let first = try await server.stream(temporary: false)
            let used = try await #require(throws: PostgresError.self) {
                try await stream.start(slot: server.slot, publication: "live")
            }
            #expect(used.state == SQLState(rawValue: "55006"))
            let odd = try await #require(throws: PostgresError.self) {
                try await stream.start(slot: "a\"b", publication: "live")
            }
            #expect(odd.kind == .invalidParameters)
            first.close()
        }
    }

    @Test func `a cancelled reader ends at once`() async throws {
        try await withServer { server async throws in
            let stream = try await server.stream()
            let reader = Task { try await stream.next() }
            reader.cancel()
            let error = try await #require(throws: PostgresError.self) { _ = try await reader.value }
            #expect(error.kind == .cancelled)
        }
    }
}
