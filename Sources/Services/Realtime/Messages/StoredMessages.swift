import SwiftletBytes
import SwiftletPostgres

/// The rows of `realtime.messages` that are broadcasts.
struct StoredMessages: Sendable {
    let database: Database

    struct Message: Sendable {
        let id: String
        /// UTC, with microseconds.
        let insertedAt: String
        let delivery: RoomMessage
    }

    /// In the order of the ids, which are UUIDs.
    func find(_ ids: [String]) async throws -> [Message] {
        let rows = try await database.query(
            """
            SELECT id::text, topic, event, coalesce(payload, 'null')::text AS payload, coalesce(private, false) AS private, \
            to_jsonb(messages) ->> 'binary_payload' AS bytes, \
            to_char(inserted_at, 'YYYY-MM-DD HH24:MI:SS.US') AS inserted_at \
            FROM realtime.messages JOIN unnest(\(ids)::uuid[]) WITH ORDINALITY AS wanted (message, place) ON id = message \
            WHERE extension = 'broadcast' AND event IS NOT NULL ORDER BY place
            """
        )
        return try rows.map { try Message($0) }
    }

    /// The database's time, in the form of ``Message/insertedAt``.
    func now() async throws -> String? {
        let sql: SQL = "SELECT to_char(now() AT TIME ZONE 'utc', 'YYYY-MM-DD HH24:MI:SS.US') AS now"
        return try await database.query(sql).first?["now"]
    }

    /// Those that were stored after a time, or up to five seconds before, as they may have been committed later.
    func ids(after time: String, limit: Int) async throws -> [String] {
        let rows = try await database.query(
            """
            SELECT id::text FROM realtime.messages WHERE extension = 'broadcast' AND event IS NOT NULL \
            AND inserted_at > \(time)::timestamp - interval '5 seconds' ORDER BY inserted_at DESC LIMIT \(limit)
            """
        )
        return rows.compactMap { $0["id"] }.reversed()
    }

    /// The newest of a private topic since a time in milliseconds since 1970, oldest first.
    func replay(
        _ topic: String,
        since milliseconds: Int,
        limit: Int
    ) async throws -> [(id: String, broadcast: Broadcast)] {
        let rows = try await database.query(
            """
            SELECT id::text, event, coalesce(payload, 'null')::text AS payload, \
            to_jsonb(messages) ->> 'binary_payload' AS bytes FROM realtime.messages \
            WHERE topic = \(topic) AND extension = 'broadcast' AND private AND event IS NOT NULL \
            AND inserted_at >= to_timestamp(\(milliseconds)::float8 / 1000) AT TIME ZONE 'utc' \
            ORDER BY inserted_at DESC LIMIT \(limit)
            """
        )
        return try rows.reversed().map { row in
            (id: try row.decode(String.self, "id"), broadcast: try Broadcast(row, isReplayed: true))
        }
    }
}

extension StoredMessages.Message {
    fileprivate init(_ row: Row) throws {
        id = try row.decode(String.self, "id")
        insertedAt = try row.decode(String.self, "inserted_at")
        let room = RoomName(
            topic: try row.decode(String.self, "topic"),
            isPrivate: try row.decode(Bool.self, "private")
        )
        delivery = RoomMessage(room: room, content: .broadcast(try Broadcast(row, isReplayed: false)), messageID: id)
    }
}

extension Broadcast {
    /// PostgreSQL prints bytes as `\\x` and hexadecimal digits.
    fileprivate init(_ row: Row, isReplayed: Bool) throws {
        let event = try row.decode(String.self, "event")
        if let bytes = row["bytes"] {
            let metadata = isReplayed ? Array(#"{"replayed":true}"#.utf8) : []
            let payload = Hexadecimal.decode(bytes.dropFirst(2)) ?? []
            self = .binary(BinaryBroadcast(event: event, metadata: metadata, isJSON: false, payload: payload))
        } else {
            let payload = try row.decode(String.self, "payload")
            self = .text(
                event: event,
                payload: Array(payload.utf8),
                id: try row.decode(String.self, "id"),
                isReplayed: isReplayed
            )
        }
    }
}
