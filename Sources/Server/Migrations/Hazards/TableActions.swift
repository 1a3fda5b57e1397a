/// The actions of `ALTER TABLE` that disturb servers with the old schema.
struct TableActions {
    let table: String
    let created: CreatedObjects
    let replaced: CreatedObjects

    typealias Effects = [(HazardEffect, advice: String)]

    func examine(_ action: [SQLToken]) -> Effects {
        var cursor = SQLCursor(action)
        if cursor.pass("rename") { return rename(cursor) }
        if cursor.pass("set", "schema") {
            return replaced.contains(table) ? [] : [(.breaks, "leave a view in its place until no old server runs")]
        }
        if cursor.pass("drop", "constraint") { return [] }
        if cursor.pass("drop") { return drop(cursor) }
        if cursor.pass("alter") { return alter(cursor) }
        if cursor.pass("add") { return add(cursor) }
        return []
    }

    private func rename(_ cursor: SQLCursor) -> Effects {
        var cursor = cursor
        if cursor.pass("constraint") { return [] }
        if cursor.pass("to") {
            return replaced.contains(table)
                ? [] : [(.breaks, "leave a view of the old name in its place until no old server runs")]
        }
        cursor.skip(["column"])
        guard let column = cursor.name(), !created.contains(column, of: table) else { return [] }
        return [(.breaks, "add a column of the new name, fill both, and drop the old one when no old server runs")]
    }

    private func drop(_ cursor: SQLCursor) -> Effects {
        var cursor = cursor
        cursor.skip(["column"])
        cursor.skipCondition()
        guard let column = cursor.name(), !created.contains(column, of: table) else { return [] }
        return [(.breaks, "drop it in a later release, when no old server runs")]
    }

    private func alter(_ cursor: SQLCursor) -> Effects {
        var cursor = cursor
        cursor.skip(["column"])
        guard let column = cursor.name(), !created.contains(column, of: table) else { return [] }
        if cursor.pass("type") || cursor.pass("set", "data", "type") {
            return [
                (.breaks, "add a column of the new type, fill both, and drop the old one when no old server runs"),
                (.blocks, "the table may be written anew, and every statement on it waits"),
            ]
        }
        if cursor.pass("set", "not", "null") {
            return [(.breaks, "old servers may write NULL: give it a DEFAULT first, and set it when none runs")]
        }
        if cursor.pass("drop", "default") || cursor.pass("drop", "identity") {
            return [(.breaks, "old servers may rely on it: drop it when none runs")]
        }
        return []
    }

    private func add(_ cursor: SQLCursor) -> Effects {
        var cursor = cursor
        if let word = cursor.next?.word, Self.constraintWords.contains(word) { return constraint(cursor.rest) }
        cursor.skip(["column"])
        cursor.skipCondition()
        guard cursor.name() != nil else { return [] }
        return column(cursor.rest)
    }

    private func constraint(_ tokens: [SQLToken]) -> Effects {
        let words = tokens.map { $0.word ?? "" }
        var effects: Effects = [(.breaks, "old servers may write what it refuses: add it when none does")]
        let isUnchecked = words.suffix(2) == ["not", "valid"]
        let hasIndex = zip(words, words.dropFirst()).contains { $0 == ("using", "index") }
        if !isUnchecked, !hasIndex {
            let isOfRows = words.contains("check") || words.contains("foreign")
            let advice =
                isOfRows
                ? "all rows are read: add it NOT VALID, and VALIDATE CONSTRAINT in a later file"
                : "all rows are read: make the index CONCURRENTLY first, and add it with USING INDEX"
            effects.append((.blocks, advice))
        }
        return effects
    }

    /// What follows the name of a new column.
    private func column(_ tokens: [SQLToken]) -> Effects {
        let words = tokens.map { $0.word ?? "" }
        let isFilled =
            words.contains("default") || words.contains("generated") || Self.serialTypes.contains(words.first ?? "")
        let isRequired = zip(words, words.dropFirst()).contains { $0 == ("not", "null") } || words.contains("primary")
        var effects: Effects = []
        if isRequired, !isFilled {
            effects.append((.breaks, "old servers do not fill it: add it nullable or with a DEFAULT first"))
        }
        if writesAllRows(tokens, words) {
            effects.append((.blocks, "the table is written anew: add it without, and fill the rows in parts"))
        }
        return effects
    }

    /// A default that differs from row to row is written into each of them (PostgreSQL manual, ALTER TABLE, Notes).
    private func writesAllRows(_ tokens: [SQLToken], _ words: [String]) -> Bool {
        if Self.serialTypes.contains(words.first ?? "") { return true }
        if words.contains("generated") { return !words.contains("virtual") }
        guard let start = words.firstIndex(of: "default") else { return false }
        let value = words[(start + 1)...].prefix { !Self.constraintWords.contains($0) && $0 != "references" }
        return zip(value, tokens[(start + 1)...].dropFirst()).contains { word, next in
            next.isSign("(") && !word.isEmpty && !Self.constantFunctions.contains(word)
        }
    }

    static let constraintWords: Set = ["constraint", "primary", "unique", "check", "foreign", "exclude"]

    private static let serialTypes: Set = [
        "serial", "bigserial", "smallserial", "serial2", "serial4", "serial8",
    ]

    /// The same for all rows of one statement; and types with a length.
    private static let constantFunctions: Set = [
        "now", "transaction_timestamp", "statement_timestamp", "current_setting", "numeric", "varchar", "char",
        "varying", "character", "decimal", "bit", "time", "timestamp", "timestamptz", "interval", "coalesce", "lower",
        "upper", "jsonb_build_object", "jsonb_build_array",
        "make_interval", "to_date", "to_timestamp", "date_trunc",
    ]
}
