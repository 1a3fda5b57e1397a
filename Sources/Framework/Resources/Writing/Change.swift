public import SwiftletWeb

/// The values that a write is about to store, by column name. Hooks read and change it.
public struct Change: Sendable {
    public let action: WriteAction
    private(set) var entries: [Entry] = []

    struct Entry: Sendable {
        let column: String
        var value: Value
        /// The column's kind, if it was known when the value was set.
        let kind: ColumnKind?
        /// The key under which the client sent it.
        var key: String?
        /// Whether the declaration gives it, rather than the client or a hook.
        var isDefault = false
    }

    enum Value: Hashable, Sendable {
        case json(JSONValue)
        /// The transaction's time, in UTC.
        case now
    }

    init(action: WriteAction) {
        self.action = action
        entries.reserveCapacity(12)
    }

    /// The value to be stored; `.null` clears the column. nil if the column is not written, or gets the time by
    /// ``setNow(_:)``: ``contains(_:)`` tells. Setting nil leaves the column out.
    public subscript(_ column: String) -> JSONValue? {
        get {
            guard case .json(let value) = entries.first(where: { $0.column == column })?.value else { return nil }
            return value
        }
        set {
            set(column, newValue.map(Value.json))
        }
    }

    /// Stores the transaction's time in `column`.
    public mutating func setNow(_ column: String) {
        set(column, .now)
    }

    /// Stores in `column` what was sent under `key`, which names no column itself: see ``Input``. A fault of the value
    /// is named by the key that the client used.
    public mutating func move(_ key: String, to column: String) {
        guard let position = entries.firstIndex(where: { $0.column == key }) else { return }
        let entry = entries.remove(at: position)
        set(column, entry.value, key: entry.key)
    }

    /// Whether `column` will be written, possibly with null.
    public func contains(_ column: String) -> Bool {
        entries.contains { $0.column == column }
    }

    /// 400 that names `column` as the client named it, for a hook to throw.
    public func refusal(of column: String, _ reason: String) -> APIError {
        let key = entries.first { $0.column == column }?.key
        return .validation([key ?? column: reason])
    }

    mutating func setDefault(_ column: String, _ value: Value) {
        set(column, value)
        if let position = entries.firstIndex(where: { $0.column == column }) { entries[position].isDefault = true }
    }

    mutating func set(_ column: String, _ value: Value?, _ kind: ColumnKind? = nil, key: String? = nil) {
        let position = entries.firstIndex { $0.column == column }
        switch (position, value) {
        case (let position?, let value?):
            entries[position].value = value
            entries[position].isDefault = false
            if let key { entries[position].key = key }
        case (let position?, nil): entries.remove(at: position)
        case (nil, let value?): entries.append(Entry(column: column, value: value, kind: kind, key: key))
        case (nil, nil): break
        }
    }
}
