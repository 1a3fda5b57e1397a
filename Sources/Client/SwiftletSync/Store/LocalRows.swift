import Foundation

/// The local database: rows as the server has them, changes that it has not got yet, and rows as the app shows them, which
/// are the former with the latter on top.
final class LocalRows {
    private static let schema = """
        CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS copies (name TEXT PRIMARY KEY, generation INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS rows (
            copy TEXT NOT NULL, key TEXT NOT NULL, base TEXT, view TEXT, generation INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (copy, key)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS mutations (
            id INTEGER PRIMARY KEY, copy TEXT NOT NULL, key TEXT NOT NULL, operation TEXT NOT NULL, content TEXT NOT NULL
        );
        CREATE INDEX IF NOT EXISTS mutations_key ON mutations (copy, key);
        CREATE TABLE IF NOT EXISTS conflicts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, copy TEXT NOT NULL, key TEXT NOT NULL, operation TEXT NOT NULL,
            reason TEXT NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL, present TEXT
        );
        """

    /// A change that waits. `content` is its JSON without the number: what is sent.
    struct Mutation {
        let id: Int
        let table: String
        let key: String
        let operation: String
        let content: String
    }

    let database: SQLite

    init(_ path: String) throws {
        database = try SQLite(path)
        // What was written is there after a crash; what is deleted can be read by nobody.
        try database.script("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;")
        try database.script(Self.schema)
    }

    func transaction<Result>(_ body: () throws -> Result) throws -> Result { try database.transaction(body) }

    // MARK: - State

    func state(_ name: String) throws -> String? {
        try database.run("SELECT value FROM state WHERE name = ?", .text(name)).first.flatMap { $0[0] }
    }

    func setState(_ name: String, _ value: String?) throws {
        if let value {
            try database.run("INSERT OR REPLACE INTO state VALUES (?, ?)", .text(name), .text(value))
        } else {
            try database.run("DELETE FROM state WHERE name = ?", .text(name))
        }
    }

    /// The server knows the queue by it.
    func clientID() throws -> String {
        if let id = try state("client") { return id }
        let id = UUID().uuidString.lowercased()
        try setState("client", id)
        return id
    }

    /// Deletes everything, with what SQLite has kept of it.
    func clear() throws {
        try transaction {
            for table in ["state", "copies", "rows", "mutations", "conflicts"] {
                try database.run("DELETE FROM \(table)")
            }
        }
        try database.script("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    // MARK: - Rows

    func views(_ table: String) throws -> [String] {
        try database.run("SELECT view FROM rows WHERE copy = ? AND view IS NOT NULL ORDER BY key", .text(table))
            .compactMap { $0[0] }
    }

    func view(_ table: String, _ key: String) throws -> String? {
        try database.run("SELECT view FROM rows WHERE copy = ? AND key = ?", .text(table), .text(key))
            .first.flatMap { $0[0] }
    }

    /// The row as the server has it; nil for none.
    func base(_ table: String, _ key: String) throws -> String? {
        try database.run("SELECT base FROM rows WHERE copy = ? AND key = ?", .text(table), .text(key))
            .first.flatMap { $0[0] }
    }

    /// The row as the server has it; nil for none. Within a transaction.
    func setBase(_ table: String, _ key: String, _ base: String?) throws {
        try database.run(
            """
            INSERT INTO rows (copy, key, base, generation)
            VALUES (?1, ?2, ?3, coalesce((SELECT generation FROM copies WHERE name = ?1), 0))
            ON CONFLICT (copy, key) DO UPDATE SET base = excluded.base, generation = excluded.generation
            """,
            .text(table),
            .text(key),
            .text(base)
        )
        try showAgain(table, key)
    }

    /// Puts the changes that wait on top of what the server has.
    func showAgain(_ table: String, _ key: String) throws {
        let base = try base(table, key)
        var view = base
        for mutation in try mutations("WHERE copy = ?1 AND key = ?2 ORDER BY id", .text(table), .text(key)) {
            view = Self.apply(mutation, to: view)
        }
        if base == nil, view == nil {
            try database.run("DELETE FROM rows WHERE copy = ? AND key = ?", .text(table), .text(key))
        } else {
            try database.run(
                """
                INSERT INTO rows (copy, key, base, view) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (copy, key) DO UPDATE SET view = excluded.view
                """,
                .text(table),
                .text(key),
                .text(base),
                .text(view)
            )
        }
    }

    private static func apply(_ mutation: Mutation, to row: String?) -> String? {
        guard mutation.operation != "delete" else { return nil }
        let content = RawRow(mutation.content)
        guard let values = content?["values"].flatMap({ RawRow($0) }) else { return row }
        if mutation.operation == "insert" {
            var made = row.flatMap { RawRow($0) } ?? RawRow()
            made.merge(values)
            return made.text
        }
        // What is gone stays gone.
        guard var changed = row.flatMap({ RawRow($0) }) else { return nil }
        changed.merge(values)
        return changed.text
    }

    // MARK: - A table that is read from its start

    func beginReading(_ table: String) throws {
        try database.run(
            "INSERT INTO copies VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET generation = generation + 1",
            .text(table)
        )
    }

    /// Rows that have not come again are gone.
    func endReading(_ table: String) throws {
        let gone = try database.run(
            """
            SELECT key FROM rows WHERE copy = ?1 AND base IS NOT NULL
                AND generation < coalesce((SELECT generation FROM copies WHERE name = ?1), 0)
            """,
            .text(table)
        )
        for row in gone { if let key = row[0] { try setBase(table, key, nil) } }
    }

    // MARK: - Changes that wait

    func mutations(_ condition: String, _ values: SQLite.Value...) throws -> [Mutation] {
        let text = "SELECT id, copy, key, operation, content FROM mutations \(condition)"
        let rows = try database.run(text, values)
        return rows.map { row in
            Mutation(
                id: row[0].flatMap { Int($0) } ?? 0,
                table: row[1] ?? "",
                key: row[2] ?? "",
                operation: row[3] ?? "",
                content: row[4] ?? ""
            )
        }
    }

    /// Puts a change at the end of the queue, and shows it.
    func add(_ table: String, _ key: String, _ operation: String, _ content: String) throws {
        try transaction {
            let id = try state("next").flatMap { Int($0) } ?? 1
            try setState("next", String(id + 1))
            try database.run(
                "INSERT INTO mutations VALUES (?, ?, ?, ?, ?)",
                .integer(id),
                .text(table),
                .text(key),
                .text(operation),
                .text(content)
            )
            try showAgain(table, key)
        }
    }

    func pendingCount() throws -> Int {
        try database.run("SELECT count(*) FROM mutations").first.flatMap { $0[0] }.flatMap { Int($0) } ?? 0
    }

    /// The server knows other changes by these numbers: begins to count anew, as another client.
    func renumber() throws {
        try transaction {
            try setState("client", UUID().uuidString.lowercased())
            var next = 1
            for mutation in try mutations("ORDER BY id") {
                try database.run("UPDATE mutations SET id = ? WHERE id = ?", .integer(next), .integer(mutation.id))
                next += 1
            }
            try setState("next", String(next))
        }
    }

    // MARK: - Conflicts

    func conflicts() throws -> [SyncConflict] {
        let rows = try database.run(
            "SELECT id, copy, key, operation, reason, code, message, content, present FROM conflicts ORDER BY id"
        )
        return rows.compactMap { row in
            guard let id = row[0].flatMap({ Int($0) }), let reason = row[4].flatMap(SyncConflict.Reason.init),
                let operation = row[3].flatMap(SyncConflict.Operation.init)
            else { return nil }
            return SyncConflict(
                id: id,
                table: row[1] ?? "",
                key: SyncKey.read(row[2] ?? ""),
                operation: operation,
                reason: reason,
                code: row[5] ?? "",
                message: row[6] ?? "",
                values: RawRow(row[7] ?? "")?["values"] ?? "{}",
                present: row[8]
            )
        }
    }

    func dismiss(_ id: Int) throws { try database.run("DELETE FROM conflicts WHERE id = ?", .integer(id)) }

    func report(_ mutation: Mutation, _ result: PushAnswer.Result, _ present: String?) throws {
        let values: [SQLite.Value] = [
            .text(mutation.table), .text(mutation.key), .text(mutation.operation), .text(result.status),
            .text(result.code), .text(result.message), .text(mutation.content), .text(present),
        ]
        try database.run(
            """
            INSERT INTO conflicts (copy, key, operation, reason, code, message, content, present)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            values
        )
    }
}
