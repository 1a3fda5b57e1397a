public import Foundation

/// A table that the app keeps a copy of. The server must have sync enabled for it.
public struct SyncedTable: Sendable, Hashable {
    /// `notes`, or `schema.notes`.
    public let name: String
    /// The columns of its primary key.
    public let key: [String]

    public init(_ name: String, key: [String] = ["id"]) {
        self.name = name
        self.key = key
    }

    /// The key of a row; nil if the row lacks a part of it.
    func key(of row: RawRow) -> SyncKey? {
        let parts = key.map { row[$0] }
        guard parts.allSatisfy({ $0 != nil && $0 != "null" }) else { return nil }
        return SyncKey(raw: parts.compactMap(\.self))
    }

    /// `{"id": 1}`
    func object(_ key: SyncKey) -> RawRow {
        var object = RawRow()
        for (name, part) in zip(self.key, key.raw) { object[name] = part }
        return object
    }
}

/// The primary key of a row: a text, a number, a UUID, or several of them in the order of the table's columns.
public struct SyncKey: Sendable, Hashable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// JSON.
    let raw: [String]

    init(raw: [String]) { self.raw = raw }

    public init(_ text: String) { raw = [RawJSON.quoted(text)] }
    public init(_ number: Int) { raw = [String(number)] }
    public init(_ id: UUID) { self.init(id.uuidString.lowercased()) }
    public init(_ parts: [SyncKey]) { raw = parts.flatMap(\.raw) }
    public init(stringLiteral value: String) { self.init(value) }
    public init(integerLiteral value: Int) { self.init(value) }

    /// The same for all ways to write the key. UUIDs are in lower case, as the server writes them.
    var text: String {
        let parts = raw.map { part in
            guard let text = RawJSON.string(part) else { return part }
            return RawJSON.quoted(UUID(uuidString: text) == nil ? text : text.lowercased())
        }
        return parts.joined(separator: ",")
    }

    /// See ``text``.
    static func read(_ text: String) -> SyncKey { SyncKey(raw: RawJSON.elements("[\(text)]") ?? []) }
}

/// A change that the server did not make: the database refused it, or the row was not as the app took it to be.
///
/// It stays until the app dismisses it. The row is shown as the server has it.
public struct SyncConflict: Sendable, Identifiable {
    public enum Reason: String, Sendable {
        /// The row was there already, is gone, or has changed.
        case conflict
        /// A constraint, a policy or a value that is none.
        case rejected
    }

    public enum Operation: String, Sendable {
        case insert, update, delete
    }

    public let id: Int
    public let table: String
    public let key: SyncKey
    public let operation: Operation
    public let reason: Reason
    /// PostgreSQL's SQLSTATE.
    public let code: String
    public let message: String
    let values: String
    let present: String?

    /// What the app wanted to write.
    public func values<Row: Decodable>(as type: Row.Type) throws -> Row {
        try JSONDecoder.syncRows.decode(type, from: Data(values.utf8))
    }

    /// The row as the server has it; nil if there is none, or none that the user may see.
    public func present<Row: Decodable>(as type: Row.Type) throws -> Row? {
        try present.map { try JSONDecoder.syncRows.decode(type, from: Data($0.utf8)) }
    }
}
