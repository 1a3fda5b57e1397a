import SwiftletPostgres
import SwiftletWeb

/// What is read of each row, and how it becomes JSON.
struct Projection: Sendable {
    /// How rows become JSON.
    private(set) var layout: ResultLayout
    /// `t."id", t."title", …`: one expression per result column.
    private(set) var selectList = ""
    /// Whether ``selectList`` names nothing but columns of the table, so that a change can return it: an engine that
    /// distributes tables takes no subquery in an INSERT, nor a function that is not immutable in RETURNING.
    private(set) var isOwnColumns = false
    /// Keys of members that come from no column of the table.
    private(set) var derivedKeys: Set<String> = []
    private(set) var counts: [CountField] = []
    /// By their names.
    private(set) var shownColumns: [String: ShownColumn] = [:]
    /// What the author wrote as SQL: the rule, and an expression over `t`.
    private(set) var declaredSQL: [(rule: String, expression: String)] = []

    /// The scope of the rows, which the other tables' rows must share.
    private let scope: RowScope
    private var expressions: [String] = []
    /// The members of a row's JSON object so far, in order.
    private var members: [ResultLayout.Member] = []
    /// Their names. None may occur twice, because decoders differ in which one they take.
    private var names: Set<String> = []

    /// `key` is the column that names a row.
    init(
        _ rules: ResourceRules,
        _ scope: RowScope,
        _ source: Table,
        _ columns: [NamedColumn],
        key: String?,
        _ schema: Schema,
        missing: inout [String]
    ) {
        self.scope = scope
        layout = ResultLayout(table: source.name, [], keyPosition: 0)
        for column in columns {
            guard let shown = ShownColumn(column.column, of: source, rules, missing: &missing) else {
                add(column.keys, Self.value("t", column.column), Self.cell(of: column, rules))
                continue
            }
            shownColumns[column.name] = shown
            add(column.keys, shown.expression, Self.cell(of: column, rules))
            declaredSQL += shown.declaredSQL
        }
        for join in rules.joins { add(join, of: source, in: schema, missing: &missing) }
        for rows in rules.countedRows where !names.contains(rows.key) {
            guard let other = table(rows.table, by: rows.foreignKey, of: source, key: key, schema, &missing) else {
                continue
            }
            let kind = ColumnKind.integer(Int.min...Int.max)
            add([rows.key], "(SELECT count(*) \(other.rows))", RowLayout.Cell(of: kind))
            derivedKeys.insert(rows.key)
        }
        for field in rules.computed {
            let lacking = source.lacking(field.needs)
            missing += lacking
            if lacking.isEmpty { add(field, of: source, in: schema, missing: &missing) }
        }
        for lines in rules.lines {
            guard let (expression, cell) = expression(of: lines, source, key: key, schema, &missing) else { continue }
            add(lines.keys, expression, cell)
            derivedKeys.formUnion(lines.keys)
        }
        for field in rules.counts {
            let lacking = source.lacking(field.needs)
            missing += lacking
            guard lacking.isEmpty else { continue }
            counts.append(field)
            declaredSQL.append(("Count(\"\(field.key)\")", "(\(field.predicate)) IS TRUE"))
        }
        let keyPosition = key.map { position(ofKey: $0) } ?? 0
        layout = ResultLayout(table: source.name, members, keyPosition: keyPosition)
        selectList = expressions.joined(separator: ", ")
        let own = Set(source.columns.map { "t." + $0.name.quotedIdentifier })
        isOwnColumns = expressions.allSatisfy(own.contains)
    }

    /// Clients may not see the key, but the server names rows by it.
    private mutating func position(ofKey key: String) -> Int {
        let expression = "t." + key.quotedIdentifier
        if let position = expressions.firstIndex(of: expression) { return position }
        expressions.append(expression)
        return expressions.count - 1
    }

    private mutating func add(_ keys: [String], _ expression: String, _ cell: RowLayout.Cell) {
        for key in keys where names.insert(key).inserted {
            members.append(ResultLayout.Member(name: key, position: expressions.count, cell: cell))
        }
        expressions.append(expression)
    }

    /// Objects with these members; those that hold times are told, as the objects' text does not tell them.
    private static func cell(ofObjectsWith columns: [(key: String, column: Column)]) -> RowLayout.Cell {
        let times = columns.filter { ColumnKind($0.column).mayHoldTimes }.map(\.key)
        return times.isEmpty ? RowLayout.Cell(.json) : RowLayout.Cell(.other, .objects(times: Set(times)))
    }

    private static func value(_ row: String, _ column: Column) -> String {
        let value = row + "." + column.name.quotedIdentifier
        return ColumnKind(column).needsJSONExpression ? "to_jsonb(\(value))" : value
    }

    /// As declared, if the column's actual type can hold that.
    private static func cell(of column: NamedColumn, _ rules: ResourceRules) -> RowLayout.Cell {
        if let words = rules.enumerations[column.name] { return RowLayout.Cell(.word, .enumeration(words)) }
        if column.kind.holdsElements {
            if rules.stringArrays.contains(column.name) { return RowLayout.Cell(.other, .stringArray(of: column.kind)) }
            if column.kind == .json, rules.stringDictionaries.contains(column.name) {
                return RowLayout.Cell(.other, .stringDictionary)
            }
        }
        return RowLayout.Cell(of: column.kind)
    }

    private mutating func add(_ join: JoinedName, of source: Table, in schema: Schema, missing: inout [String]) {
        guard let other = schema.tables[join.table.name], let holder = other.column(scope.column.name),
            let ownHolder = source.column(scope.column.name), !other.primaryKey.isEmpty,
            let foreignKey = source.column(join.foreignKey.name)
        else {
            missing += join.columns.map { "\(join.table.name).\($0.name)" }
            return
        }
        guard let key = other.rowKey(in: scope) else { return missing.append("\(other.name).id as a unique key") }
        missing += other.lacking(join.columns)
        let columns = join.columns.compactMap { other.column($0.name) }
        guard let first = columns.first, !names.contains(join.key) else { return }
        let value = join.isObject ? Self.object(columns) : Self.joinedValue(columns)
        let expression = """
            (SELECT \(value) FROM \(other.quotedName) j \
            WHERE \(Self.match("j", key, foreignKey)) AND \(Self.match("j", holder, ownHolder)))
            """
        let cell: RowLayout.Cell =
            join.isObject
            ? Self.cell(ofObjectsWith: columns.map { ($0.name, $0) })
            : columns.count == 1 ? RowLayout.Cell(of: ColumnKind(first)) : RowLayout.Cell(.text)
        add([join.key], expression, cell)
        derivedKeys.insert(join.key)
    }

    /// One column as it is; several as a text that leaves out what is NULL, and is NULL when nothing is left.
    private static func joinedValue(_ columns: [Column]) -> String {
        let values = columns.map { value("j", $0) }
        return values.count == 1 ? values[0] : "nullif(concat_ws(' ', \(values.joined(separator: ", "))), '')"
    }

    private static func object(_ columns: [Column]) -> String {
        let members = columns.map { "\(Identifier.literal($0.name)), \(value("j", $0))" }
        return "jsonb_build_object(\(members.joined(separator: ", ")))"
    }

    private mutating func add(_ field: ComputedField, of source: Table, in schema: Schema, missing: inout [String]) {
        guard !names.contains(field.key), let expression = expression(of: field, source, schema, &missing) else {
            return
        }
        add([field.key], expression, RowLayout.Cell(.json))
        declaredSQL.append(("Computed(\"\(field.key)\")", expression))
        derivedKeys.insert(field.key)
    }

    /// nil if the database lacks the table that the field is computed over.
    private func expression(
        of field: ComputedField,
        _ source: Table,
        _ schema: Schema,
        _ missing: inout [String]
    ) -> String? {
        let value = "to_jsonb(\(field.expression))"
        guard let from = field.source else { return value }
        guard let other = schema.tables[from.table.name], let holder = other.column(scope.column.name) else {
            missing.append(from.table.name)
            return nil
        }
        guard let own = source.column(scope.column.name) else {
            missing.append("\(source.name).\(scope.column.name)")
            return nil
        }
        return """
            (SELECT \(value) FROM \(other.quotedName) o WHERE \(Self.match("o", holder, own)) \
            AND (\(from.predicate)))
            """
    }

    /// A JSON array of the lines; nil if the database lacks what they need.
    private func expression(
        of lines: LinesRule,
        _ source: Table,
        key: String?,
        _ schema: Schema,
        _ missing: inout [String]
    ) -> (String, RowLayout.Cell)? {
        guard
            let found = table(
                lines.table,
                by: lines.foreignKey,
                of: source,
                key: key,
                schema,
                &missing
            )
        else { return nil }
        let other = found.table
        // A function takes 100 arguments at most (PostgreSQL manual, appendix K).
        let columns = lines.rules.namedColumns(of: other).flatMap { named in named.keys.map { ($0, named.column) } }
        let members = columns.map { "\(Identifier.literal($0)), \(Self.value("o", $1))" }
        let objects = stride(from: 0, to: members.count, by: 50).map { start in
            "jsonb_build_object(\(members[start..<min(start + 50, members.count)].joined(separator: ", ")))"
        }
        let order = [Table.creationTimeColumn, other.rowKey(in: scope)?.name].compactMap { $0.flatMap(other.column) }
            .map { "o.\($0.name.quotedIdentifier)" }.joined(separator: ", ")
        let expression = """
            (SELECT coalesce(jsonb_agg(\(objects.joined(separator: " || "))\(order.isEmpty ? "" : " ORDER BY \(order)")), '[]') \
            \(found.rows))
            """
        return (expression, Self.cell(ofObjectsWith: columns))
    }

    /// A table whose rows `o` refer to `t`, and `FROM … WHERE …` for these rows; nil if the database lacks what it takes.
    private func table(
        _ name: Identifier,
        by foreignKey: Identifier,
        of source: Table,
        key: String?,
        _ schema: Schema,
        _ missing: inout [String]
    ) -> (table: Table, rows: String)? {
        guard let other = schema.tables[name.name] else {
            missing.append(name.name)
            return nil
        }
        guard let own = key.flatMap(source.column), let holder = source.column(scope.column.name),
            let reference = other.column(foreignKey.name), let otherHolder = other.column(scope.column.name)
        else {
            missing += other.lacking([foreignKey, scope.column])
            return nil
        }
        return (
            other,
            "FROM \(other.quotedName) o WHERE \(Self.match("o", otherHolder, holder)) AND \(Self.match("o", reference, own))"
        )
    }

    /// A cast would keep PostgreSQL from the index, and a distributed one from the shard, so it is there only when a
    /// drifted database needs it.
    private static func match(_ other: String, _ column: Column, _ own: Column) -> String {
        let cast = ColumnKind(column).isComparable(to: ColumnKind(own)) ? "" : "::text"
        return "\(other).\(column.name.quotedIdentifier)\(cast) = t.\(own.name.quotedIdentifier)\(cast)"
    }
}
