import SwiftletJSON
import SwiftletPostgres

/// What a request inserts or changes.
struct Mutation {
    let relation: Table
    let columns: [Column]
    private(set) var content: [UInt8]
    /// The content is a list.
    private(set) var isList: Bool
    /// Columns that the content leaves out get their default instead of null.
    var usesDefaults = false
    var conflict: Conflict?

    /// The same with one object for content.
    func with(_ object: JSONValue) -> Mutation {
        var change = self
        change.content = Array(object.description.utf8)
        change.isList = false
        return change
    }

    struct Conflict {
        let columns: [String]
        let merges: Bool
    }
}

extension MainStatement {
    /// `plan` is what is read of the changed rows; its conditions are of the change.
    static func insert(_ change: Mutation, _ plan: ReadPlan, _ ending: Ending) -> MainStatement {
        var statement = MainStatement(isReadOnly: false)
        var ending = ending
        let merges = change.conflict?.merges == true
        statement.text.add("WITH \"\(source)\" AS (INSERT INTO ")
        statement.text.add(change.relation.qualifiedName)
        statement.text.add(" AS ")
        statement.text.add(name: plan.alias)
        if change.columns.isEmpty, change.isList {
            // A row of defaults for each object.
            statement.text.add(" SELECT FROM json_array_elements(")
            statement.text.bind(bytes: change.content)
            statement.text.add("::json)")
        } else if change.columns.isEmpty {
            statement.text.add(" DEFAULT VALUES")
        } else {
            statement.text.add(" (")
            statement.text.list(change.columns) { $0.add(name: $1.name) }
            statement.text.add(") SELECT ")
            statement.text.list(change.columns) { $0.addValue(of: $1) }
            statement.text.add(" FROM ")
            statement.text.addBody(change)
            if merges { statement.text.add(" WHERE \(counting("+")) <> '0'") }
            statement.text.addConflict(change, merges ? " WHERE \(counting("-")) <> '-1'" : "")
        }
        if merges { ending.countsInserted = true }
        statement.addReturning(plan, ending)
        return statement
    }

    static func update(_ change: Mutation, _ plan: ReadPlan, _ ending: Ending) -> MainStatement {
        var statement = MainStatement(isReadOnly: false)
        statement.text.add("WITH \"\(source)\" AS (")
        if change.columns.isEmpty {
            // Nothing is asked to change: no row is touched.
            statement.text.add("SELECT ")
            statement.text.addReturnedColumns(plan, ending.keys)
            statement.text.add(" FROM ")
            statement.text.add(change.relation.qualifiedName)
            statement.text.add(" AS ")
            statement.text.add(name: plan.alias)
            statement.text.add(" WHERE false)")
            statement.addChanged(plan, ending)
            return statement
        }
        statement.text.add("UPDATE ")
        statement.text.add(change.relation.qualifiedName)
        statement.text.add(" AS ")
        statement.text.add(name: plan.alias)
        statement.text.add(" SET ")
        statement.text.list(change.columns) { text, column in
            text.add(name: column.name)
            text.add(" = ")
            text.addValue(of: column)
        }
        statement.text.add(" FROM ")
        statement.text.addBody(change)
        statement.text.addWhere(plan)
        statement.addReturning(plan, ending)
        return statement
    }

    static func delete(_ relation: Table, _ plan: ReadPlan, _ ending: Ending) -> MainStatement {
        var statement = MainStatement(isReadOnly: false)
        statement.text.add("WITH \"\(source)\" AS (DELETE FROM ")
        statement.text.add(relation.qualifiedName)
        statement.text.add(" AS ")
        statement.text.add(name: plan.alias)
        statement.text.addWhere(plan)
        statement.addReturning(plan, ending)
        return statement
    }

    /// Counts what is inserted: each row of the content counts one up, and one down if it meets a row that is there.
    private static func counting(_ sign: String) -> String {
        "set_config('swiftlet.inserted', (coalesce(nullif(current_setting('swiftlet.inserted', true), '')::int, 0) \(sign) 1)::text, true)"
    }

    private mutating func addReturning(_ plan: ReadPlan, _ ending: Ending) {
        text.add(" RETURNING ")
        text.addReturnedColumns(plan, ending.keys, isWanted: ending.form != .none)
        text.add(")")
        addChanged(plan, ending)
    }

    private mutating func addChanged(_ plan: ReadPlan, _ ending: Ending) {
        text.add(" ")
        addAnswer(ending)
        text.add(" FROM (")
        if ending.form == .none {
            text.add("SELECT * FROM \"\(Self.source)\"")
        } else {
            text.addSelect(plan.ofChanged, from: .expression(Self.source))
        }
        text.add(") AS \(Self.rows)")
    }
}

extension ReadPlan {
    /// The same, read from rows that were changed: the conditions chose them before.
    fileprivate var ofChanged: ReadPlan {
        var plan = self
        plan.restriction.conditions.removeAll { condition in !embeds.contains { condition.names($0.name) } }
        plan.restriction.limit = nil
        plan.restriction.offset = nil
        return plan
    }
}

extension StatementText {
    /// What `RETURNING` gives: only columns that are asked for, because each needs the right to read it.
    fileprivate mutating func addReturnedColumns(_ plan: ReadPlan, _ keys: [String], isWanted: Bool = true) {
        guard isWanted else {
            if keys.isEmpty { return add("1") }
            return list(keys) { $0.add(plan.alias, $1) }
        }
        guard let needed = plan.neededColumns else {
            add(name: plan.alias)
            return add(".*")
        }
        let names = Set(needed + keys).sorted()
        if names.isEmpty { return add("1") }
        list(names) { $0.add(plan.alias, $1) }
    }

    /// The content as rows of the changed columns.
    fileprivate mutating func addBody(_ change: Mutation) {
        if change.usesDefaults { return addBodyWithDefaults(change) }
        add(change.isList ? "json_to_recordset(" : "json_to_record(")
        bind(bytes: change.content)
        add("::json) AS \"swiftlet_body\" (")
        addDefinitions(change)
        add(")")
    }

    private mutating func addDefinitions(_ change: Mutation) {
        list(change.columns) { text, column in
            text.add(name: column.name)
            text.add(column.representation.fromJSON == nil ? " \(column.type.name)" : " json")
        }
    }

    /// What the content gives for a column.
    fileprivate mutating func addValue(of column: Column) {
        guard let function = column.representation.fromJSON else { return add("swiftlet_body", column.name) }
        add("\(function)(")
        add("swiftlet_body", column.name)
        add(")")
    }

    /// Each object over one that holds the defaults, made anew for each.
    private mutating func addBodyWithDefaults(_ change: Mutation) {
        add("(SELECT \"swiftlet_row\".* FROM ")
        if change.isList {
            add("jsonb_array_elements(")
            bind(bytes: change.content)
            add("::jsonb)")
        } else {
            add("(VALUES (")
            bind(bytes: change.content)
            add("::jsonb))")
        }
        add(" AS \"swiftlet_object\" (\"value\"), LATERAL (SELECT jsonb_build_object(")
        list(change.columns.filter { $0.defaultText != nil }) { text, column in
            text.add(literal: column.name)
            text.add(", ")
            if column.defaultText == "identity" {
                text.add("nextval(pg_get_serial_sequence(")
                text.add(
                    literal:
                        "\(change.relation.schema.quotedIdentifier).\(change.relation.name.quotedIdentifier)"
                )
                text.add(", ")
                text.add(literal: column.name)
                text.add("))")
            } else {
                text.add(column.defaultText ?? "NULL")
            }
        }
        add(") || \"swiftlet_object\".\"value\" AS \"value\") AS \"swiftlet_filled\", LATERAL jsonb_to_record(")
        add("\"swiftlet_filled\".\"value\") AS \"swiftlet_row\" (")
        addDefinitions(change)
        add(")) AS \"swiftlet_body\"")
    }

    fileprivate mutating func addConflict(_ change: Mutation, _ restriction: String) {
        guard let conflict = change.conflict, !conflict.columns.isEmpty else { return }
        add(" ON CONFLICT (")
        list(conflict.columns) { $0.add(name: $1) }
        add(") DO ")
        guard conflict.merges else { return add("NOTHING") }
        add("UPDATE SET ")
        list(change.columns) { text, column in
            text.add(name: column.name)
            text.add(" = EXCLUDED.")
            text.add(name: column.name)
        }
        add(restriction)
    }
}
