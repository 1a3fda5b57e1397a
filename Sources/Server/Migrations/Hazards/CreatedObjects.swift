/// Objects that pending migrations make: no server that runs knows them.
///
/// What a database has already is none of them, whatever a statement says about its making.
struct CreatedObjects {
    /// By the names that ``SQLCursor/name()`` gives, and `table.column`; nil if the database is not known.
    let existing: Set<String>?
    /// Tables, views, functions, types, schemas and the like.
    private var objects: Set<String> = []
    /// `table.column`
    private var columns: Set<String> = []

    init(existing: Set<String>? = nil) { self.existing = existing }

    func contains(_ name: String) -> Bool {
        if let existing { return !existing.contains(name) }
        if objects.contains(name) { return true }
        return name.split(separator: ".").dropLast().first.map { objects.contains(String($0)) } ?? false
    }

    func contains(_ column: String, of table: String) -> Bool {
        existing.map { !$0.contains("\(table).\(column)") } ?? columns.contains("\(table).\(column)")
    }

    mutating func note(_ statement: [SQLToken]) {
        var cursor = SQLCursor(statement)
        if cursor.pass("create") {
            cursor.skip(Self.modifiers)
            guard let kind = cursor.next?.word, Self.kinds.contains(kind) else { return }
            cursor.skipToken()
            // All that lies in a schema that is there already would count as new.
            if kind == "schema", cursor.next?.word == "if" { return }
            cursor.skipCondition()
            if let name = cursor.name() { objects.insert(name) }
        } else if cursor.pass("alter", "table") {
            cursor.skipCondition()
            guard let table = cursor.name() else { return }
            for part in cursor.parts {
                var action = SQLCursor(part)
                guard action.pass("add"), !TableActions.constraintWords.contains(action.next?.word ?? "") else {
                    continue
                }
                action.skip(["column"])
                action.skipCondition()
                if let column = action.name() { columns.insert("\(table).\(column)") }
            }
        }
    }

    private static let modifiers: Set = [
        "or", "replace", "temporary", "temp", "unlogged", "global", "local", "materialized", "foreign", "recursive",
    ]

    private static let kinds: Set = [
        "table", "view", "function", "procedure", "aggregate", "type", "domain", "schema", "sequence", "extension",
    ]
}
