import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Brings a copy up to date: the rows that the caller sees now, of the keys that have changed behind the cursor.
///
/// All is read in one snapshot. The log says which keys have changed; the rows themselves are read under the caller's row
/// security, and those that are not there any more are deleted, if the caller could see one of their logged images. What
/// else decides on what the caller sees — their claims, the table's definition and policies, rows that policies read — is
/// in the table's version or in the log too, and has the table read from its start.
struct SyncPull: Sendable {
    /// Of one request.
    static let maximumTables = 32
    private static let rowsPerPage = 500
    private static let bytesPerPage = 2_000_000
    private static let maximumAttempts = 3

    let database: Database
    let catalog: VisibleTables
    let statements: SyncStatements
    private let end = SyncLogEnd()

    init(database: Database, catalog: VisibleTables, statements: SyncStatements) {
        self.database = database
        self.catalog = catalog
        self.statements = statements
    }

    /// What one answer says of a table.
    private struct Told {
        var resets = false
        var isComplete = false
        var upserts: [String] = []
        var deletes: [JSONObject] = []
    }

    private struct Work {
        var cursor: SyncCursor
        var told: [String: Told] = [:]
        var hasMore = false
        var lastID: Int?
    }

    func answer(
        _ names: [String],
        since cursor: SyncCursor?,
        client: String?,
        as caller: SyncCaller,
        _ prepared: Prepared? = nil
    ) async throws -> [UInt8] {
        var prepared = prepared
        for _ in 0..<Self.maximumAttempts {
            let known: Prepared
            if let prepared { known = prepared } else { known = try await prepare(names, caller) }
            prepared = nil
            let start = end.known
            let work = try await database.transaction(of: Guest(caller.id)) { transaction in
                try await read(known, since: cursor, client, caller, start, transaction)
            }
            if let work { return Self.json(work, names) }
        }
        throw APIError.unavailable("SYNC_UNAVAILABLE", "The tables are being changed.", retryAfter: 1)
    }

    /// What is read before the snapshot. A table or policy that changes between shows in the versions: then this is read
    /// again.
    struct Prepared: Sendable {
        let names: [(name: String, schema: String, table: String)]
        let tables: [UInt32: TableFacts]
        let roles: [UInt32: RoleFacts]
        let definitions: [String: SyncDefinition]
    }

    func prepare(_ names: [String], _ caller: SyncCaller) async throws -> Prepared {
        let parts = names.map { name in
            let parts = name.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return parts.count == 2
                ? (name: name, schema: parts[0], table: parts[1]) : (name: name, schema: "public", table: name)
        }
        let rows = try await database.query(
            SyncCatalog.statement,
            SyncCatalog.parameters(parts.map { ($0.schema, $0.table) })
        )
        let definitions = SyncCatalog.read(rows)
        var relations: Set<UInt32> = []
        for part in parts {
            guard let definition = definitions["\(part.schema).\(part.table)"] else {
                throw APIError(.notFound, "SYNC_TABLE_UNKNOWN", "Sync is not enabled for \(part.name)")
            }
            if let obstacle = definition.obstacle {
                throw APIError.unavailable("SYNC_UNAVAILABLE", "\(part.name) \(obstacle)", retryAfter: 30)
            }
            relations.insert(definition.relation)
            relations.formUnion(definition.dependencies)
        }
        let tables = try await catalog.tables(relations)
        var roles: [UInt32: RoleFacts] = [:]
        for (relation, table) in tables { roles[relation] = try await catalog.facts(of: caller.role, on: table) }
        for definition in definitions.values {
            guard let table = tables[definition.relation], let role = roles[definition.relation],
                Set(table.keys).isSubset(of: role.columns), !table.keys.isEmpty
            else { throw APIError(.forbidden, "FORBIDDEN", "You may not read \(definition.name)") }
        }
        return Prepared(names: parts, tables: tables, roles: roles, definitions: definitions)
    }

    // MARK: - One snapshot

    /// nil if the tables are not any more what is known of them.
    private func read(
        _ known: Prepared,
        since cursor: SyncCursor?,
        _ client: String?,
        _ caller: SyncCaller,
        _ start: ChangePosition?,
        _ transaction: Transaction
    ) async throws -> Work? {
        try await transaction.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        guard let state = SyncLog.readState(try await transaction.query(SyncLog.stateStatement, .none)) else {
            throw APIError.unavailable("CHANGES_UNAVAILABLE", "No changes of rows are read here.")
        }
        let parameters = SyncCatalog.parameters(known.names.map { ($0.schema, $0.table) })
        let current = SyncCatalog.read(try await transaction.query(SyncCatalog.statement, parameters))
        var tables: [SyncTable] = []
        for part in known.names {
            guard let definition = current["\(part.schema).\(part.table)"],
                definition == known.definitions["\(part.schema).\(part.table)"],
                let facts = known.tables[definition.relation]
            else { return nil }
            tables.append(
                SyncTable(
                    name: part.name,
                    facts: facts,
                    dependencies: definition.dependencies,
                    declared: definition.declared,
                    version: Fingerprint.of("\(definition.version) \(caller.change.fingerprint)")
                )
            )
        }
        var work: Work
        if let cursor, cursor.position.epoch == state.epoch, cursor.position >= state.floor {
            work = Work(cursor: cursor)
        } else {
            // One of another log, or of what a server that took over has not got, says nothing.
            let earlier = start.flatMap { $0.epoch == state.epoch && $0 <= state.last ? $0 : nil }
            let parameters = SyncLog.endParameters(known: earlier)
            let position = SyncLog.readEnd(try await transaction.query(SyncLog.endStatement, parameters), state)
            end.found(position)
            work = Work(cursor: SyncCursor(position: position))
        }
        if let client { work.lastID = try await lastID(of: client, caller, transaction) }
        for name in Array(work.cursor.complete.keys) where !tables.contains(where: { $0.name == name }) {
            work.cursor.complete[name] = nil
        }
        if let table = tables.first(where: { work.cursor.complete[$0.name] != $0.version }) {
            try await readPage(of: table, known, caller, &work, transaction)
        } else {
            try await readChanges(tables, known, caller, &work, transaction)
        }
        work.hasMore = work.hasMore || tables.contains { work.cursor.complete[$0.name] != $0.version }
        return work
    }

    private func lastID(
        of client: String,
        _ caller: SyncCaller,
        _ transaction: Transaction
    ) async throws(PostgresError) -> Int {
        let rows = try await transaction.query(
            "SELECT last_id FROM swiftlet.sync_clients WHERE id = \(client)::uuid AND user_id = \(caller.id)"
        )
        return rows.first?["last_id"].flatMap { Int($0) } ?? 0
    }

    /// One page of a table that is read from its start. The cursor's position stays: what is committed meanwhile lies
    /// behind it.
    private func readPage(
        of table: SyncTable,
        _ known: Prepared,
        _ caller: SyncCaller,
        _ work: inout Work,
        _ transaction: Transaction
    ) async throws {
        var start: JSONObject?
        if let reading = work.cursor.reading, reading.table == table.name, reading.version == table.version {
            start = reading.key
        }
        try await become(caller, transaction)
        var parameters = Parameters()
        if let start { parameters.append(JSONValue.object(start).description) } else { parameters.appendNull() }
        parameters.append(Self.rowsPerPage)
        parameters.append(Self.bytesPerPage)
        let columns = columns(of: table, known)
        let statement = statements.page(of: table.facts, columns, isFirst: start == nil)
        let rows: [[String?]]
        do throws(PostgresError) {
            rows = try await transaction.texts(statement, parameters)
        } catch {
            guard start != nil, error.kind == .server, error.state.errorClass == "22" else { throw error }
            throw APIError(.badRequest, "INVALID_CURSOR", "The cursor is none of this server's.")
        }
        var told = Told(resets: start == nil)
        // A row of nil has no room in this page.
        told.upserts = rows.prefix { $0[0] != nil }.compactMap { $0[0] }
        let isCut = told.upserts.count < rows.count
        if isCut || rows.count >= Self.rowsPerPage {
            let keys = rows.prefix(told.upserts.count).map { $0[1] }
            guard
                let (next, count) = Self.cursor(
                    behind: keys,
                    of: table,
                    work.cursor,
                    room: SyncCursor.room(known.names.map(\.name))
                )
            else {
                throw APIError(
                    .unprocessableContent,
                    "SYNC_KEY_TOO_LONG",
                    "\(table.name) has rows whose keys are too long to go on behind them."
                )
            }
            work.cursor = next
            told.upserts.removeSubrange(count...)
            work.hasMore = true
        } else {
            work.cursor.reading = nil
            work.cursor.complete[table.name] = table.version
            told.isComplete = true
            // What has changed since the first page.
            work.hasMore = true
        }
        work.told[table.name] = told
    }

    /// The cursor behind the last of the keys that has room in it, and the number of keys up to that.
    private static func cursor(
        behind keys: [String?],
        of table: SyncTable,
        _ cursor: SyncCursor,
        room: Int
    ) -> (cursor: SyncCursor, count: Int)? {
        for count in stride(from: keys.count, to: 0, by: -1) {
            guard let text = keys[count - 1], text.utf8.count <= room,
                let key = (try? JSONParser.parse(Array(text.utf8)))?.object
            else { continue }
            var next = cursor
            next.reading = SyncCursor.Reading(table: table.name, version: table.version, key: key)
            if next.description.utf8.count <= room { return (next, count) }
        }
        return nil
    }

    private func columns(of table: SyncTable, _ known: Prepared) -> [String] {
        let allowed = known.roles[table.facts.relation]?.columns ?? []
        return table.facts.columns.map(\.name).filter(allowed.contains)
    }

    private func become(_ caller: SyncCaller, _ transaction: Transaction) async throws(PostgresError) {
        let (statement, parameters) = SyncStatements.become(caller)
        _ = try await transaction.query(statement, parameters)
    }

    // MARK: - Changes

    private func readChanges(
        _ tables: [SyncTable],
        _ known: Prepared,
        _ caller: SyncCaller,
        _ work: inout Work,
        _ transaction: Transaction
    ) async throws {
        let relations = tables.reduce(into: Set<UInt32>()) { relations, table in
            relations.insert(table.facts.relation)
            relations.formUnion(table.dependencies)
        }
        let start = work.cursor.position
        let page = SyncLog.readPage(
            try await transaction.query(SyncLog.pageStatement, SyncLog.pageParameters(after: start, relations)),
            after: start
        )
        work.cursor.position = page.end
        work.hasMore = page.isFull
        guard !page.changes.isEmpty || !page.unreadable.isEmpty else { return }
        try await become(caller, transaction)
        var sight = SyncSight(statements: statements, known: known, unreadable: page.unreadable)
        try await sight.look(at: page.changes, transaction)
        for table in tables {
            if sight.mustReset(table) {
                work.cursor.complete[table.name] = nil
            } else {
                try await readRows(of: table, page, sight, &work, known, transaction)
            }
        }
    }

    private func readRows(
        of table: SyncTable,
        _ page: SyncLog.Page,
        _ sight: SyncSight,
        _ work: inout Work,
        _ known: Prepared,
        _ transaction: Transaction
    ) async throws {
        var keys = ChangedKeys(table.facts)
        for (number, change) in page.changes.enumerated()
        where change.relation == table.facts.relation && change.position <= work.cursor.position {
            if let old = change.old { keys.add(old, change.position, wasSeen: sight.sawOld(number)) }
            if let new = change.new { keys.add(new, change.position, wasSeen: sight.sawNew(number)) }
        }
        guard !keys.all.isEmpty else { return }
        var parameters = Parameters()
        parameters.append(JSONValue.array(keys.all.map { .object($0.key) }).description)
        parameters.append(Self.bytesPerPage)
        let statement = statements.rows(of: table.facts, columns(of: table, known))
        let rows = try await transaction.query(statement, parameters)
        var present: [Int: String] = [:]
        var cut: Int?
        for row in 0..<rows.count {
            guard let number = rows.text(row, 0).flatMap({ Int($0) }) else { continue }
            if let content = rows.text(row, 1) {
                present[number - 1] = content
            } else {
                cut = min(cut ?? number, number)
            }
        }
        var told = work.told[table.name] ?? Told()
        for (number, changed) in keys.all.enumerated() {
            if let cut, number >= cut - 1 {
                // This and what follows comes with the next answer. Other tables' rows of there come twice, which is
                // as good as once.
                work.cursor.position = min(work.cursor.position, changed.before)
                work.hasMore = true
                break
            }
            if let row = present[number] {
                told.upserts.append(row)
            } else if changed.wasSeen {
                told.deletes.append(changed.key)
            }
        }
        work.told[table.name] = told
    }

    // MARK: - The answer

    private static func json(_ work: Work, _ names: [String]) -> [UInt8] {
        var json = JSONWriter(minimumCapacity: 1024)
        json.object { json in
            json.member("cursor", work.cursor.description)
            json.member("more", work.hasMore)
            if let lastID = work.lastID { json.member("last_id", lastID) }
            json.key("tables")
            json.object { json in
                for name in names {
                    guard let told = work.told[name] else { continue }
                    json.key(name)
                    json.object { json in write(told, into: &json) }
                }
            }
        }
        return json.finish()
    }

    private static func write(_ told: Told, into json: inout JSONWriter) {
        json.member("reset", told.resets)
        json.member("complete", told.isComplete)
        json.key("upsert")
        json.array { json in
            for row in told.upserts {
                json.separate()
                json.writeRaw(row.utf8.span)
            }
        }
        json.key("delete")
        json.array { json in for key in told.deletes { json.write(key) } }
    }
}
