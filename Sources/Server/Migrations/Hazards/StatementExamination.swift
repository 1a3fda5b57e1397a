/// Looks at one statement for what disturbs servers with the old schema.
struct StatementExamination {
    struct Finding {
        let effect: HazardEffect
        let position: Int
        let tokens: [SQLToken]
        let advice: String
    }

    /// By the statements before it.
    let created: CreatedObjects
    /// By any statement of its file.
    let replaced: CreatedObjects
    private(set) var found: [Finding] = []

    init(created: CreatedObjects, replaced: CreatedObjects) {
        self.created = created
        self.replaced = replaced
    }

    mutating func examine(_ statement: [SQLToken]) {
        var cursor = SQLCursor(statement)
        if cursor.pass("drop") {
            examineDrop(statement, cursor)
        } else if cursor.pass("alter", "table") || cursor.pass("alter", "foreign", "table") {
            examineTable(statement, cursor)
        } else if cursor.pass("alter") {
            examineAlteration(statement, cursor)
        } else if cursor.pass("create", "index") {
            examineIndex(statement, cursor, isUnique: false)
        } else if cursor.pass("create", "unique", "index") {
            examineIndex(statement, cursor, isUnique: true)
        } else if cursor.pass("revoke") {
            examineRevocation(statement, cursor)
        } else if let word = cursor.next?.word, ["cluster", "reindex"].contains(word) {
            if !statement.contains(where: { $0.word == "concurrently" }) {
                add(.blocks, statement, "run it by hand when few requests come")
            }
        }
    }

    private mutating func examineDrop(_ statement: [SQLToken], _ cursor: SQLCursor) {
        var cursor = cursor
        cursor.skip(["materialized", "foreign"])
        guard let kind = cursor.next?.word, Self.objects.contains(kind) else { return }
        cursor.skipToken()
        cursor.skipCondition()
        // Another table of that name has other rows.
        let isReplaceable = kind != "table" && kind != "schema"
        let strange = cursor.names().filter { !created.contains($0) && !(isReplaceable && replaced.contains($0)) }
        if !strange.isEmpty { add(.breaks, statement, "drop it in a later release, when no old server runs") }
    }

    /// Of anything but a table.
    private mutating func examineAlteration(_ statement: [SQLToken], _ cursor: SQLCursor) {
        var cursor = cursor
        cursor.skip(["materialized"])
        guard let kind = cursor.next?.word, Self.objects.contains(kind) else { return }
        cursor.skipToken()
        cursor.skipCondition()
        guard let name = cursor.name(), !created.contains(name) else { return }
        cursor.skipParentheses()
        let advice: String? =
            if cursor.pass("rename", "constraint") {
                nil
            } else if cursor.pass("rename", "value") {
                "add the new value beside it, and stop using the old one when no old server runs"
            } else if cursor.pass("rename") || cursor.pass("set", "schema") {
                replaced.contains(name) ? nil : "make it anew under the new name, and drop the old one later"
            } else if kind == "type", cursor.pass("drop", "attribute") || cursor.pass("alter", "attribute") {
                "make a new type, and drop the old one when no old server runs"
            } else if kind == "domain", cursor.pass("add") || cursor.pass("set", "not", "null") {
                "old servers may write what it refuses: add it when none runs"
            } else {
                nil
            }
        if let advice { add(.breaks, statement, advice) }
    }

    private mutating func examineTable(_ statement: [SQLToken], _ cursor: SQLCursor) {
        var cursor = cursor
        cursor.skipCondition()
        guard let table = cursor.name(), !created.contains(table) else { return }
        if cursor.next?.isSign("*") == true { cursor.skipToken() }
        let head = Array(statement.prefix(cursor.index))
        for part in cursor.parts {
            for (effect, advice) in TableActions(table: table, created: created, replaced: replaced).examine(part) {
                add(effect, head + part, at: part.first, advice)
            }
        }
    }

    private mutating func examineIndex(_ statement: [SQLToken], _ cursor: SQLCursor, isUnique: Bool) {
        var cursor = cursor
        let isConcurrent = cursor.pass("concurrently")
        cursor.skip(["if", "not", "exists"])
        if cursor.next?.word != "on" { _ = cursor.name() }
        guard cursor.pass("on") else { return }
        cursor.skip(["only"])
        guard let table = cursor.name(), !created.contains(table) else { return }
        if isUnique {
            add(.breaks, statement, "old servers may write what it refuses: add it when none does")
        }
        if !isConcurrent {
            add(
                .blocks,
                statement,
                "writes wait: make it by hand with CONCURRENTLY first, and say IF NOT EXISTS here"
            )
        }
    }

    private mutating func examineRevocation(_ statement: [SQLToken], _ cursor: SQLCursor) {
        var cursor = cursor
        while let token = cursor.next, token.word != "on", token.word != "from" { cursor.skipToken() }
        if cursor.pass("on") {
            cursor.skip(Self.objects)
            let names = cursor.names()
            if !names.isEmpty, names.allSatisfy({ created.contains($0) }) { return }
        }
        add(.breaks, statement, "revoke it when no old server or app needs the right")
    }

    private mutating func add(
        _ effect: HazardEffect,
        _ tokens: [SQLToken],
        at first: SQLToken? = nil,
        _ advice: String
    ) {
        guard let first = first ?? tokens.first else { return }
        found.append(Finding(effect: effect, position: first.range.lowerBound, tokens: tokens, advice: advice))
    }

    private static let objects: Set = [
        "table", "view", "function", "procedure", "routine", "aggregate", "type", "domain", "schema", "sequence",
        "extension",
    ]
}
