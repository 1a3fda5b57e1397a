import Foundation
import SwiftletJSON
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

@Suite(.needsDatabase, .hangLimit)
struct DatabaseBroadcastTests {
    private static let privately = #"{"private":true}"#

    private static func service() throws -> String { try TestRealtime.token(["role": "service_role"]) }

    @Test func `what the database sends reaches the rooms, in its order`() async throws {
        try await withRealtime { server in
            let open = try server.client()
            try open.join("realtime:room")
            let closed = try server.client("2.0.0")
            try closed.join("realtime:room", Self.privately, token: Self.service())
            try server.execute(
                """
                SELECT realtime.send('{"n":1}', 'made', 'room');
                SELECT realtime.send('{"n":2,"id":"own"}', 'made', 'room');
                SELECT realtime.send('{"n":3}', 'made', 'room', false);
                SELECT realtime.send_binary('\\x0102', 'bytes', 'room');
                """
            )
            let first = try closed.next()
            #expect(first.event == "broadcast" && first.payload["event"] == "made")
            #expect(first.payload["payload"]?["n"] == 1)
            #expect(first.payload["payload"]?["id"] == first.payload["meta"]?["id"])
            #expect(try closed.next().payload["payload"]?["id"] == "own")
            #expect(try closed.socket.next() == .binary([4, 13, 5, 0, 0] + Array("realtime:roombytes\u{1}\u{2}".utf8)))
            #expect(try open.next().payload["payload"]?["n"] == 3)
            #expect(try open.isQuiet())
        }
    }

    @Test func `what is rolled back is not sent, and what fails stops nobody`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:room")
            try server.execute("BEGIN; SELECT realtime.send('{}', 'undone', 'room', false); ROLLBACK")
            try server.execute("SELECT realtime.send('{}', 'no topic', NULL, false)")
            try server.execute("SELECT realtime.send('{}', 'done', 'room', false)")
            #expect(try client.next().payload["event"] == "done")
        }
    }

    @Test func `a trigger broadcasts the changes of its table`() async throws {
        let table = """
            CREATE TABLE notes (id int PRIMARY KEY, text text);
            CREATE FUNCTION tell_notes() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
                PERFORM realtime.broadcast_changes(
                    'notes', TG_OP, TG_OP, TG_TABLE_NAME, TG_TABLE_SCHEMA, NEW, OLD
                );
                RETURN NULL;
            END $$;
            CREATE TRIGGER tell_notes AFTER INSERT OR UPDATE OR DELETE ON notes FOR EACH ROW EXECUTE FUNCTION tell_notes();
            """
        try await withRealtime(sql: table) { server in
            let client = try server.client()
            try client.join("realtime:notes", Self.privately, token: Self.service())
            try server.execute("INSERT INTO notes VALUES (1, 'a'); UPDATE notes SET text = 'b'; DELETE FROM notes")
            let made = try client.next().payload
            #expect(made["event"] == "INSERT")
            let payload = try #require(made["payload"]?.object)
            #expect(payload.keys.sorted() == ["id", "old_record", "operation", "record", "schema", "table"])
            #expect(payload["record"] == ["id": 1, "text": "a"] && payload["old_record"] == .null)
            #expect(payload["table"] == "notes" && payload["schema"] == "public")
            let changed = try client.next().payload["payload"]
            #expect(changed?["record"]?["text"] == "b" && changed?["old_record"]?["text"] == "a")
            #expect(try client.next().payload["payload"]?["operation"] == "DELETE")
        }
    }

    @Test func `a large message from the database arrives as well`() async throws {
        try await withRealtime { server in
            let client = try server.client()
            try client.join("realtime:room")
            try server.execute(
                "SELECT realtime.send(jsonb_build_object('text', repeat('x', 100000)), 'large', 'room', false)"
            )
            #expect(try client.next().payload["payload"]?["text"]?.string?.utf8.count == 100_000)
        }
    }

    @Test func `a private channel replays what was sent before`() async throws {
        try await withRealtime { server in
            let first = try server.client()
            try first.join("realtime:room", Self.privately, token: Self.service())
            for number in 1...4 {
                try server.execute("SELECT realtime.send('{\"n\":\(number)}', 'made', 'room')")
                #expect(try first.next().payload["payload"]?["n"]?.int == number)
            }
            let client = try server.client()
            let config = #"{"private":true,"broadcast":{"replay":{"since":0,"limit":3}}}"#
            #expect(try client.join("realtime:room", config, token: Self.service()).status == "ok")
            for number in 2...4 {
                let message = try client.next()
                #expect(message.payload["payload"]?["n"]?.int == number)
                #expect(message.payload["meta"]?["replayed"] == true)
                #expect(message.payload["meta"]?["id"] != nil)
            }
            let now = Int(Date().timeIntervalSince1970 + 60) * 1000
            let later = #"{"private":true,"broadcast":{"replay":{"since":\#(now)}}}"#
            #expect(try client.join("realtime:room", later, token: Self.service(), ref: "2").event == "phx_close")
            #expect(try client.next().status == "ok")
            #expect(try client.isQuiet())
        }
    }

    @Test(
        arguments: [
            (#"{"broadcast":{"replay":{"since":0}}}"#, "Replay is not allowed for public channels"),
            (#"{"private":true,"broadcast":{"replay":{"since":"x"}}}"#, "Replay params are not valid"),
            (#"{"private":true,"broadcast":{"replay":{"since":0,"limit":26}}}"#, "Replay params are not valid"),
        ]
    )
    func `a replay that cannot be is refused`(config: String, reason: String) async throws {
        try await withRealtime { server in
            let client = try server.client()
            let refused = try client.join("realtime:room", config, token: Self.service())
            #expect(refused.reason == "UnableToReplayMessages: " + reason)
        }
    }

    @Test func `days that are over go, and those to come are there`() async throws {
        try await withRealtime { server in
            try server.execute(
                """
                CREATE TABLE realtime.messages_2020_01_01 PARTITION OF realtime.messages
                    FOR VALUES FROM ('2020-01-01') TO ('2020-01-02');
                SELECT swiftlet.keep_messages()
                """
            )
            let days = try server.rows(
                """
                SELECT relname FROM pg_class JOIN pg_inherits ON inhrelid = pg_class.oid \
                WHERE inhparent = 'realtime.messages'::regclass ORDER BY 1
                """
            )
            #expect(days.count == 6)
            #expect(!days.contains("messages_2020_01_01"))
        }
    }
}
