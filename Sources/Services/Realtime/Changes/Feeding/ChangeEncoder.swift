import SwiftletJSON

/// Writes a change as the official clients read it, once for all who get the same of it.
struct ChangeEncoder {
    /// Beyond it only short values are told: the official clients take no larger messages.
    static let maximumBytes = 900_000
    private static let shortValueBytes = 64

    private struct Variant: Hashable {
        let kind: ChangeKind
        let showsOld: Bool
        let role: String
        let select: [String]?
    }

    private var change: LoggedChange?
    private var table: TableFacts?
    private var written: [Variant: [UInt8]] = [:]

    mutating func begin(_ change: LoggedChange, _ table: TableFacts) {
        self.change = change
        self.table = table
        written.removeAll(keepingCapacity: true)
    }

    /// The change for a role. `showsOld` is whether more than the key of the old row may be told.
    mutating func data(
        _ kind: ChangeKind,
        showsOld: Bool,
        _ facts: RoleFacts,
        role: String,
        _ select: [String]?
    ) -> [UInt8] {
        let variant = Variant(kind: kind, showsOld: showsOld, role: role, select: select)
        if let known = written[variant] { return known }
        guard let change, let table else { return [] }
        let columns = table.columns.filter { column in
            facts.columns.contains(column.name) && (select?.contains(column.name) ?? true || column.isKey)
        }
        var data = Self.write(change, table, columns, kind, showsOld: showsOld, isShort: false)
        if data.count > Self.maximumBytes {
            data = Self.write(change, table, columns, kind, showsOld: showsOld, isShort: true)
        }
        written[variant] = data
        return data
    }

    private static func write(
        _ change: LoggedChange,
        _ table: TableFacts,
        _ columns: [TableFacts.Column],
        _ kind: ChangeKind,
        showsOld: Bool,
        isShort: Bool
    ) -> [UInt8] {
        var json = JSONWriter(minimumCapacity: 512)
        json.object { json in
            json.member("schema", table.schema)
            json.member("table", table.name)
            json.member("commit_timestamp", change.committedAt)
            json.member("type", kind.rawValue)
            json.member("pos", change.position.description)
            json.key("columns")
            json.array { json in
                for column in columns {
                    json.object { json in
                        json.member("name", column.name)
                        json.member("type", column.type)
                    }
                }
            }
            if kind != .delete, let new = change.new {
                json.key("record")
                write(new, columns, isShort: isShort, into: &json)
            }
            if kind != .insert, let old = change.old {
                json.key("old_record")
                write(old, showsOld ? columns : columns.filter(\.isKey), isShort: isShort, into: &json)
            }
            json.key("errors")
            if isShort { json.array { $0.write("Error 413: Payload Too Large") } } else { json.writeNull() }
        }
        return json.finish()
    }

    private static func write(
        _ row: JSONObject,
        _ columns: [TableFacts.Column],
        isShort: Bool,
        into json: inout JSONWriter
    ) {
        json.object { json in
            for column in columns {
                guard let value = row[column.name], !isShort || value.description.utf8.count <= shortValueBytes else {
                    continue
                }
                json.key(column.name)
                // As Supabase tells it, without the backslash and the x.
                if column.type == "bytea", let text = value.string, text.hasPrefix("\\x") {
                    json.write(String(text.dropFirst(2)))
                } else {
                    json.write(value)
                }
            }
        }
    }
}
