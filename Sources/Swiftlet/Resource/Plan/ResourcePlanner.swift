import Postgres

/// Computes a ``ResourcePlan`` step by step.
struct ResourcePlanner {
    private let resource: Resource
    private let rules: ResourceRules
    private let schema: Schema
    private var source: Table?

    private(set) var table: PlannedTable?
    private(set) var missing: [String] = []
    private(set) var row = RowLayout()
    /// The members of a row so far. None may occur twice, because decoders differ in which one they take.
    private var members: Set<String> = []
    private(set) var expressions: [String] = []
    private(set) var inputs: [String: InputColumn] = [:]
    private(set) var obligatory: [ObligatoryColumn] = []
    /// Column → its first key.
    private(set) var keys: [String: String] = [:]
    private(set) var serverKeys: Set<String> = []
    private(set) var references: [TenantReference] = []
    private(set) var extraInputs: [String: String] = [:]
    private(set) var filters: [PlannedFilter] = []
    private(set) var filterPositions: [String: Int] = [:]
    private(set) var searchColumns: [String] = []
    private(set) var ranges: [PlannedRange] = []
    private(set) var sortable: [String: String] = [:]
    private(set) var order: [OrderTerm] = []
    private(set) var counts: [CountField] = []
    private(set) var declaredSQL: [(rule: String, expression: String)] = []

    /// Set by the server whatever the body says (SERVER.md, section 10).
    private static let stamped: Set<String> = ["created_at", "updated_at", Table.tenantColumn, "deleted_at"]

    init(_ resource: Resource, _ schema: Schema) {
        self.resource = resource
        self.schema = schema
        rules = resource.rules
    }

    mutating func plan() {
        guard let source = schema.tables[resource.table] else {
            missing = [resource.table]
            return
        }
        self.source = source
        planTable(source)
        planColumns(source)
        planReferences(source)
        planJoins()
        planComputed()
        acceptCamelCase()
        planFilters()
        planOrder()
        noteDeclaredButMissing()
    }

    private mutating func planTable(_ source: Table) {
        guard let tenant = source.columns.first(where: { $0.name == Table.tenantColumn }) else {
            missing.append("\(resource.table).\(Table.tenantColumn)")
            return
        }
        guard let key = source.rowKey else {
            missing.append("\(resource.table).id" + (source.column("id") == nil ? "" : " as a unique key"))
            return
        }
        let parts = rules.only.compactMap { rule in
            source.column(rule.column).flatMap { TablePart(rule, $0, rules.enumerations[rule.column]) }
        }
        // Without such a column, nothing says which rows belong to the resource.
        guard parts.count == rules.only.count else {
            missing += rules.only.map(\.column).filter { column in !parts.contains { $0.column == column } }
                .map { "\(resource.table).\($0)" }
            return
        }
        table = PlannedTable(source, key: key, tenant: tenant, parts: parts)
    }

    private mutating func planColumns(_ source: Table) {
        for column in source.columns where !rules.hidden.contains(column.name) && !isShadowed(column.name) {
            let kind = ColumnKind(column)
            let keys = keys(of: column.name)
            let cell =
                rules.enumerations[column.name].map(CellKind.enumeration) ?? stringCell(column, kind)
                ?? CellKind(kind)
            let name = "t." + Identifier.quote(column.name)
            addFields(keys, kind.needsJSONExpression ? "to_jsonb(\(name))" : name, cell)
            if column.type.canBeOrdered {
                for key in keys { sortable[key] = column.name }
            }
            if column.name == table?.key {
                planKey(column, kind, keys)
            } else if isServerSet(column) {
                serverKeys.formUnion(keys)
            } else {
                planInput(column, kind, keys)
            }
            self.keys[column.name] = keys.first
        }
    }

    /// Given on create at most, and never changed.
    private mutating func planKey(_ column: Column, _ kind: ColumnKind, _ keys: [String]) {
        serverKeys.formUnion(keys)
        if kind.isInteger, !column.hasDefault, let key = keys.first {
            obligatory.append(ObligatoryColumn(key: key, column: column.name, isRequired: true))
        }
    }

    private mutating func planInput(_ column: Column, _ kind: ColumnKind, _ keys: [String]) {
        let isRequired = rules.required.contains(column.name)
        let input = InputColumn(
            column: column.name,
            kind: kind,
            isNullable: column.isNullable && !isRequired,
            isRequired: isRequired,
            words: rules.enumerations[column.name],
            shape: shape(of: column, kind)
        )
        for key in keys { inputs[key] = input }
        if isRequired || !column.isNullable && !column.hasDefault, let key = keys.first {
            obligatory.append(ObligatoryColumn(key: key, column: column.name, isRequired: isRequired))
        }
    }

    private func shape(of column: Column, _ kind: ColumnKind) -> JSONShape? {
        guard kind == .json else { return nil }
        if rules.stringArrays.contains(column.name) { return .list }
        return rules.stringDictionaries.contains(column.name) ? .object : nil
    }

    /// Some clients send camelCase keys. A key that is declared, or is a column's own name, keeps its meaning.
    private mutating func acceptCamelCase() {
        for (key, input) in inputs where inputs[camelCased(key)] == nil { inputs[camelCased(key)] = input }
        serverKeys.formUnion(serverKeys.map(camelCased).filter { inputs[$0] == nil })
        for (key, column) in sortable where sortable[camelCased(key)] == nil { sortable[camelCased(key)] = column }
        // A column under that name keeps its own rules.
        for key in rules.inputs where source?.column(key) == nil {
            extraInputs[camelCased(key)] = key
            extraInputs[key] = key
        }
    }

    /// nil if the column's actual type cannot hold strings that way.
    private func stringCell(_ column: Column, _ kind: ColumnKind) -> CellKind? {
        guard kind.holdsElements else { return nil }
        if rules.stringArrays.contains(column.name) { return .stringArray(of: kind) }
        return rules.stringDictionaries.contains(column.name) && kind == .json ? .stringDictionary : nil
    }

    /// The JSON names of a column: its own or the one it is renamed to, then its aliases.
    private func keys(of column: String) -> [String] {
        let aliases = rules.aliases.filter { $0.column == column && !isShown($0.key) }
        return [rules.renames[column] ?? column] + aliases.map(\.key)
    }

    /// Whether clients see the column of that name, under that name.
    private func isShown(_ column: String) -> Bool {
        source?.column(column) != nil && !rules.hidden.contains(column) && rules.renames[column] == nil
            && !isShadowed(column)
    }

    /// Whether the table has another column that is declared to go by this one's name.
    private func isShadowed(_ column: String) -> Bool {
        rules.renames[column] == nil
            && rules.renames.contains { other, key in
                key == column && source?.column(other) != nil && !rules.hidden.contains(other)
            }
    }

    private func isServerSet(_ column: Column) -> Bool {
        column.isGenerated || Self.stamped.contains(column.name) || rules.readOnly.contains(column.name)
            || rules.authors.contains(column.name) || rules.parent?.foreignKey.name == column.name
            || resource.scope.owner?.name == column.name
            || rules.only.contains { $0.column == column.name && $0.words.count == 1 }
    }

    private mutating func addFields(_ keys: [String], _ expression: String, _ kind: CellKind) {
        for key in keys where members.insert(key).inserted {
            row.append(key, position: expressions.count, kind)
        }
        expressions.append(expression)
    }

    private mutating func planReferences(_ source: Table) {
        let safe = source.foreignKeys.filter { $0.columns.contains(Table.tenantColumn) }.flatMap(\.columns)
        references = source.foreignKeys.compactMap { TenantReference($0, in: schema) }
            .filter { !safe.contains($0.column) }
    }

    private mutating func planJoins() {
        for join in rules.joins {
            guard let other = schema.tables[join.table.name], other.column(Table.tenantColumn) != nil,
                !other.primaryKey.isEmpty, let key = other.rowKey, let foreignKey = source?.column(join.foreignKey.name)
            else {
                missing += join.columns.map { "\(join.table.name).\($0.name)" }
                continue
            }
            let columns = join.columns.compactMap { other.column($0.name) }
            missing += join.columns.map(\.name).filter { other.column($0) == nil }.map { "\(other.name).\($0)" }
            guard let first = columns.first, !members.contains(join.key) else { continue }
            // A cast would keep PostgreSQL from the index, so it is there only when a drifted database needs it.
            let cast = ColumnKind(key).isComparable(to: ColumnKind(foreignKey)) ? "" : "::text"
            let expression = """
                (SELECT \(Self.name(of: columns)) \
                FROM \(other.quotedName) j \
                WHERE j.\(Identifier.quote(key.name))\(cast) = t.\(Identifier.quote(join.foreignKey.name))\(cast) \
                AND j.\(Identifier.quote(Table.tenantColumn))::text = t.\(Identifier.quote(Table.tenantColumn))::text)
                """
            addFields([join.key], expression, columns.count == 1 ? CellKind(ColumnKind(first)) : .text)
            serverKeys.insert(join.key)
        }
    }

    /// One column as it is; several as a text that leaves out what is NULL, and is NULL when nothing is left.
    private static func name(of columns: [Column]) -> String {
        let values = columns.map { column in
            let value = "j." + Identifier.quote(column.name)
            return ColumnKind(column).needsJSONExpression ? "to_jsonb(\(value))" : value
        }
        return values.count == 1 ? values[0] : "nullif(concat_ws(' ', \(values.joined(separator: ", "))), '')"
    }

    private mutating func planComputed() {
        for field in rules.computed where has(field.needs) && !members.contains(field.key) {
            guard let expression = expression(for: field) else { continue }
            addFields([field.key], expression, .json)
            declaredSQL.append(("computed(\"\(field.key)\")", expression))
            serverKeys.insert(field.key)
        }
        counts = rules.counts.filter { has($0.needs) }
        declaredSQL += counts.map { ("count(\"\($0.key)\")", "(\($0.predicate)) IS TRUE") }
    }

    /// nil if the database lacks the table that the field is computed over.
    private mutating func expression(for field: ComputedField) -> String? {
        let value = "to_jsonb(\(field.expression))"
        guard let from = field.source else { return value }
        guard let other = schema.tables[from.table.name], let tenant = other.column(Table.tenantColumn) else {
            missing.append(from.table.name)
            return nil
        }
        let own = source?.column(Table.tenantColumn).map(ColumnKind.init)
        let type = own?.isComparable(to: ColumnKind(tenant)) == true ? "" : "::text"
        let column = Identifier.quote(Table.tenantColumn)
        return """
            (SELECT \(value) FROM \(other.quotedName) o WHERE o.\(column)\(type) = t.\(column)\(type) \
            AND (\(from.predicate)))
            """
    }

    private mutating func planFilters() {
        guard let table else { return }
        for rule in rules.filters {
            guard let kind = table.columns[rule.column.name] else {
                missing.append("\(resource.table).\(rule.column.name)")
                continue
            }
            for name in rule.names {
                filterPositions[name] = filters.count
            }
            let words = rules.enumerations[rule.column.name]
            filters.append(PlannedFilter(rule: rule, column: rule.column.name, kind: kind, words: words))
        }
        searchColumns = rules.search.map(\.name).filter(table.has)
        for rule in rules.ranges {
            guard let kind = table.columns[rule.column.name] else {
                missing.append("\(resource.table).\(rule.column.name)")
                continue
            }
            let after = rule.name + "_after"
            let before = rule.name + "_before"
            ranges.append(
                PlannedRange(
                    afterNames: [after, camelCased(after)],
                    beforeNames: [before, camelCased(before)],
                    column: rule.column.name,
                    kind: kind
                )
            )
        }
    }

    private mutating func planOrder() {
        guard let table else { return }
        let declared = rules.order.filter { table.has($0.column) }
        order = declared.isEmpty ? [OrderTerm(column: "created_at", isDescending: true)] : declared
        order.removeAll { !table.has($0.column) }
    }

    private mutating func noteDeclaredButMissing() {
        guard let table else { return }
        var declared = rules.required + rules.search.map(\.name) + rules.order.map(\.column)
        declared += rules.aliases.map(\.column) + rules.defaultValues.map(\.column) + rules.nowDefaults
        declared += rules.authors.filter { $0 != ResourceRules.usualAuthor }
        declared += [rules.ownRowsOnly?.column, rules.parent?.foreignKey.name, resource.scope.owner?.name].compactMap(
            \.self
        )
        for columns in [Set(rules.renames.keys), Set(rules.enumerations.keys), rules.readOnly, rules.hidden] {
            declared += columns
        }
        declared += rules.stringArrays.union(rules.stringDictionaries)
        for column in Set(declared).sorted() where !table.has(column) {
            missing.append("\(resource.table).\(column)")
        }
        missing = Set(missing).sorted()
    }

    private mutating func has(_ columns: [Identifier]) -> Bool {
        let absent = columns.map(\.name).filter { source?.column($0) == nil }
        missing += absent.map { "\(resource.table).\($0)" }
        return absent.isEmpty
    }
}
