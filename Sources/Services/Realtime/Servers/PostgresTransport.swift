import SwiftletPostgres

/// Texts between servers as notifications of the database. Those that are too long are rows of `swiftlet.realtime_parcels`.
struct PostgresTransport: BusTransport {
    static let channel: StaticString = "swiftlet_realtime"

    let database: Database

    /// PostgreSQL takes less than 8000.
    var maximumBytes: Int { 7500 }

    func run(_ key: String, _ onEvent: @escaping @Sendable (BusEvent) -> Void) async {
        let listening = database.listen(to: Self.channel) { text in
            onEvent(text.map { .text($0) } ?? .connected)
        }
        guard let listening else { return }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
        listening.close()
    }

    func send(_ texts: [String]) async throws {
        // One transaction: PostgreSQL delivers them in this order.
        try await database.query(
            "SELECT pg_notify(\(Self.channel.description), text) FROM unnest(\(texts)::text[]) AS text"
        )
    }

    func store(_ content: String) async throws -> Int {
        let rows = try await database.query(
            """
            WITH old AS (DELETE FROM swiftlet.realtime_parcels WHERE made_at < now() - interval '1 minute') \
            INSERT INTO swiftlet.realtime_parcels (content) VALUES (\(content)) RETURNING id
            """
        )
        return try rows.first?.decode(Int.self, "id") ?? 0
    }

    func load(_ number: Int) async -> String? {
        let sql: SQL = "SELECT content FROM swiftlet.realtime_parcels WHERE id = \(number)"
        return try? await database.query(sql).first?["content"]
    }
}
