import SwiftletPostgres
/// Conditions, columns and orders.
extension StatementText {
    /// ` WHERE …`, or nothing. `joins` are conditions that embedding adds.
    mutating func addWhere(_ plan: ReadPlan, joins: [Join] = []) {
        let required = plan.isCounted ? plan.embeds.filter(\.isInner) : []
        guard !plan.restriction.conditions.isEmpty || !joins.isEmpty || !required.isEmpty else { return }
        add(" WHERE ")
        var isFirst = true
        func separate(_ text: inout StatementText) {
            if !isFirst { text.add(" AND ") }
            isFirst = false
        }
        for join in joins {
            separate(&self)
            add(join.alias, join.column)
            add(" = ")
            add(join.otherAlias, join.otherColumn)
        }
        for condition in plan.restriction.conditions {
            separate(&self)
            add(condition, plan)
        }
        for embed in required {
            separate(&self)
            addExists(embed, parent: plan)
        }
    }

    struct Join {
        let alias: String
        let column: String
        let otherAlias: String
        let otherColumn: String
    }

    private mutating func add(_ condition: LogicTree, _ plan: ReadPlan) {
        switch condition {
        case .filter(let filter): add(filter, plan)
        case .all(let conditions, let isNegated): add(conditions, " AND ", isNegated, plan)
        case .any(let conditions, let isNegated): add(conditions, " OR ", isNegated, plan)
        }
    }

    private mutating func add(_ conditions: [LogicTree], _ word: StaticString, _ isNegated: Bool, _ plan: ReadPlan) {
        if isNegated { add("NOT ") }
        add("(")
        for (index, condition) in conditions.enumerated() {
            if index > 0 { add(word) }
            add(condition, plan)
        }
        add(")")
    }

    private mutating func add(_ filter: ColumnFilter, _ plan: ReadPlan) {
        if plan.isCounted, let embed = plan.embed(askedAs: filter.field) {
            if !filter.isNegated { add("NOT ") }
            return addExists(embed, parent: plan)
        }
        if filter.isNegated { add("NOT (") }
        if let embed = plan.embed(askedAs: filter.field) {
            add(embed.alias, "value")
            add(" IS NULL")
        } else {
            add(filter.test, of: filter.field, plan)
        }
        if filter.isNegated { add(")") }
    }

    private mutating func addExists(_ embed: ReadPlan.Embed, parent: ReadPlan) {
        add("EXISTS (")
        addRows(of: embed, parent: parent, .answer)
        add(")")
    }

    private mutating func add(_ test: ColumnFilter.Test, of field: FieldPath, _ plan: ReadPlan) {
        switch test {
        case .compare(let comparison, let quantifier, let value):
            add(field, plan)
            add(" \(comparison.symbol) ")
            let isPattern = comparison == .like || comparison == .caselessLike
            let value = isPattern ? value.replacing("*", with: "%") : value
            if let quantifier { add(quantifier == .any ? "ANY (" : "ALL (") }
            // A pattern is no value of the column.
            if quantifier == nil, !isPattern { bind(value, as: field, plan) } else { bind(value) }
            if quantifier != nil { add(")") }
        case .isIn(let values):
            add(field, plan)
            add(" = ANY (")
            if !values.isEmpty, parser(of: field, plan) != nil {
                add("ARRAY[")
                list(values) { $0.bind($1, as: field, plan) }
                add("]")
            } else {
                bind(array: values)
            }
            add(")")
        case .is(let word):
            add(field, plan)
            switch word {
            case .null: add(" IS NULL")
            case .notNull: add(" IS NOT NULL")
            case .true: add(" IS TRUE")
            case .false: add(" IS FALSE")
            case .unknown: add(" IS UNKNOWN")
            }
        case .isDistinct(let value):
            add(field, plan)
            add(" IS DISTINCT FROM ")
            bind(value, as: field, plan)
        case .search(let function, let language, let value):
            addSearched(field, language, plan)
            add(" @@ ")
            add(function.name)
            add("(")
            if let language {
                bind(language)
                add("::regconfig, ")
            }
            bind(value)
            add(")")
        }
    }

    /// The cast that makes a column's value of a text, where there is one.
    private func parser(of field: FieldPath, _ plan: ReadPlan) -> String? {
        field.steps.isEmpty ? plan.relation?.column(field.name)?.representation.fromText : nil
    }

    /// A value to compare a column with.
    private mutating func bind(_ value: String, as field: FieldPath, _ plan: ReadPlan) {
        guard let function = parser(of: field, plan) else { return bind(value) }
        add("\(function)(")
        bind(value)
        add("::text)")
    }

    /// What a full-text search looks into: a `tsvector`, or any other column made one.
    private mutating func addSearched(_ field: FieldPath, _ language: String?, _ plan: ReadPlan) {
        if field.steps.isEmpty, plan.relation?.column(field.name)?.type.kind == .textSearch { return add(field, plan) }
        add("to_tsvector(")
        if let language {
            bind(language)
            add("::regconfig, ")
        }
        add(field, plan)
        let isJSON = field.steps.isEmpty && plan.relation?.column(field.name)?.type.kind == .json
        add(isJSON ? ")" : "::text)")
    }

    /// `alias.column->'key'->>'key'`
    mutating func add(_ field: FieldPath, _ plan: ReadPlan) {
        guard !field.steps.isEmpty else { return addColumn(field.name, plan) }
        // Of a function's own columns the type is not known here.
        let converts = plan.relation.map { $0.column(field.name)?.type.needsConversionToJSON ?? false } ?? true
        if converts { add("to_jsonb(") }
        addColumn(field.name, plan)
        if converts { add(")") }
        for step in field.steps {
            add(step.givesText ? "->>" : "->")
            switch step.key {
            case .name(let name): add(literal: name)
            case .index(let index): add(index.hasPrefix("+") ? String(index.dropFirst()) : index)
            }
        }
    }

    /// `alias.column`, or `(alias::type).column` for one that only the type knows.
    private mutating func addColumn(_ name: String, _ plan: ReadPlan) {
        guard let type = plan.rowType, plan.relation?.column(name) == nil else { return add(plan.alias, name) }
        add("(")
        add(name: plan.alias)
        add("::")
        add(type)
        add(").")
        add(name: name)
    }

    private static let largestWrittenLimit = 100

    /// ` LIMIT … OFFSET …`, or nothing.
    mutating func addRange(_ restriction: Restriction) {
        if let limit = restriction.limit {
            add(" LIMIT ")
            // PostgreSQL guesses that a bound limit takes a tenth of all rows; its plan for any value then looks so bad
            // that it plans anew for each (its manual, "plan_cache_mode"). Rare limits are not worth a statement.
            if limit <= Self.largestWrittenLimit { add("\(limit)") } else { bind(limit) }
        }
        if let offset = restriction.offset, offset > 0 {
            add(" OFFSET ")
            bind(offset)
        }
    }
}
