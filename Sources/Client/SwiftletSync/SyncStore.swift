public import Foundation
public import SwiftletClient

/// A copy of the rows that the user may see, kept on the device: it is read and changed offline, and brought in line with
/// the server when there is one.
///
///     let store = try SyncStore(client, tables: [SyncedTable("notes")], directory: url)
///     Task { await store.run() }
///     try await store.insert(note, into: "notes")
///     for try await notes in store.rows(of: "notes", as: Note.self) { show(notes) }
///
/// A change is on the device when the call returns, and survives the end of the app. The server applies each once, in
/// order; one that it refuses is undone here and told in ``conflicts``. Rows are encoded by `JSONEncoder.swiftlet`, and
/// their keys are made by the app: UUIDs, for example.
public actor SyncStore {
    /// A change has half a megabyte at most.
    public static let maximumChangeBytes = 500_000
    static let batchLength = 100
    /// Of a change. The server takes two levels more, which are around it in a request.
    static let maximumDepth = 62

    let client: APIClient
    let tables: [String: SyncedTable]
    let local: LocalRows
    nonisolated let watchers = Watchers()
    private var running: Task<Void, any Error>?
    /// Counts how often everything was deleted: what was asked before is not for here any more.
    var generation = 0
    /// Why the last attempt to reach the server failed; nil if it did not.
    public internal(set) var problem: (any Error)?

    /// `directory` is the store's alone, and made if it is missing. It is not part of backups of the device: from one,
    /// changes would be sent that were sent before.
    public init(_ client: APIClient, tables: [SyncedTable], directory: URL) throws {
        self.client = client
        self.tables = Dictionary(tables.map { ($0.name, $0) }) { $1 }
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        #if canImport(Darwin)
        // SQLite makes files beside its own, with rows in them, whenever it likes.
        var excluded = directory
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        try excluded.setResourceValues(values)
        #endif
        local = try LocalRows(directory.appendingPathComponent("rows.sqlite").path)
    }

    // MARK: - Reading

    /// All rows of a table as the app shows them, in the order of their keys.
    public func current<Row: Decodable>(_ table: String, as type: Row.Type = Row.self) throws -> [Row] {
        let decoder = JSONDecoder.syncRows
        return try local.views(table).map { try decoder.decode(type, from: Data($0.utf8)) }
    }

    /// nil if there is none.
    public func row<Row: Decodable>(_ table: String, _ key: SyncKey, as type: Row.Type = Row.self) throws -> Row? {
        try local.view(table, key.text).map { try JSONDecoder.syncRows.decode(type, from: Data($0.utf8)) }
    }

    /// The rows of a table, now and after every change of them, wherever it was made.
    public nonisolated func rows<Row: Decodable & Sendable>(of table: String, as type: Row.Type) -> SyncedRows<[Row]> {
        SyncedRows(watchers, .table(table)) { [weak self] in try await self?.current(table, as: type) }
    }

    /// How many changes wait to be sent.
    public var pendingChanges: Int { get throws { try local.pendingCount() } }

    /// The changes that the server did not make, until they are dismissed.
    public var conflicts: [SyncConflict] { get throws { try local.conflicts() } }

    /// ``conflicts``, now and whenever there is another.
    public nonisolated var conflictReports: SyncedRows<[SyncConflict]> {
        SyncedRows(watchers, .conflicts) { [weak self] in try await self?.conflicts }
    }

    public func dismiss(_ conflict: SyncConflict) throws {
        try local.dismiss(conflict.id)
        watchers.tell([.conflicts])
    }

    // MARK: - Changing

    /// A new row. Give all that the app reads of it: what the server adds comes with the next synchronization.
    public func insert(_ row: some Encodable, into table: String) throws {
        let table = try known(table)
        let values = try encoded(row)
        guard let key = table.key(of: values) else { throw APIError.invalidRequest("the row has no key") }
        try add(table, key, "insert", values: values)
    }

    /// Sets the members of `values` in a row, and those named in `clearing` to null; others stay as they are. With
    /// `unlessChanged`, it is a conflict if these columns are not on the server what they are here now.
    public func update(
        _ table: String,
        _ key: SyncKey,
        set values: some Encodable,
        clearing: [String] = [],
        unlessChanged columns: [String] = []
    ) throws {
        let table = try known(table)
        var values = try encoded(values)
        for name in clearing { values[name] = "null" }
        guard !values.members.isEmpty else { return }
        try add(table, key, "update", values: values, expecting: columns)
    }

    /// A row that is gone already is deleted too.
    public func delete(_ key: SyncKey, from table: String, unlessChanged columns: [String] = []) throws {
        try add(try known(table), key, "delete", values: nil, expecting: columns)
    }

    private func known(_ name: String) throws -> SyncedTable {
        guard let table = tables[name] else { throw APIError.invalidRequest("\(name) is not synchronized") }
        return table
    }

    private func encoded(_ values: some Encodable) throws -> RawRow {
        let data = try JSONEncoder.swiftlet.encode(values)
        guard let row = RawRow(String(decoding: data, as: UTF8.self)) else {
            throw APIError.invalidRequest("a row must be an object")
        }
        return row
    }

    private func add(
        _ table: SyncedTable,
        _ key: SyncKey,
        _ operation: String,
        values: RawRow?,
        expecting columns: [String] = []
    ) throws {
        guard key.raw.count == table.key.count else {
            throw APIError.invalidRequest("the key of \(table.name) is \(table.key.joined(separator: ", "))")
        }
        var content = RawRow()
        content["table"] = RawJSON.quoted(table.name)
        content["op"] = RawJSON.quoted(operation)
        content["key"] = table.object(key).text
        content["values"] = values?.text
        if !columns.isEmpty, let view = try local.view(table.name, key.text).flatMap({ RawRow($0) }) {
            var expected = RawRow()
            for name in columns { expected[name] = view[name] ?? "null" }
            content["if"] = expected.text
        }
        let text = content.text
        guard text.utf8.count <= Self.maximumChangeBytes else {
            throw APIError.invalidRequest("the change is too large")
        }
        guard RawJSON.depth(text) <= Self.maximumDepth else {
            throw APIError.invalidRequest("the change is nested too deep")
        }
        try local.add(table.name, key.text, operation, text)
        watchers.tell([.table(table.name), .queue])
    }

    // MARK: - Synchronizing

    /// Sends what waits, and brings the copy up to date. Calls at the same time are one.
    public func synchronize() async throws {
        if let running { return try await running.value }
        let task = Task { try await self.exchange() }
        running = task
        defer { running = nil }
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Deletes all rows, changes that wait, and conflicts: for signing out. Call ``synchronize()`` before, unless what
    /// waits may be lost.
    public func clear() throws {
        generation += 1
        running?.cancel()
        try local.clear()
        watchers.tell(Set(tables.keys.map { .table($0) }).union([.conflicts]))
    }
}

extension JSONDecoder {
    static var syncRows: JSONDecoder { .swiftlet }
}
