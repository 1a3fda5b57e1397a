import SwiftletPostgres

/// The SELECT of a ``ReadPlan``, with a lateral join for each embedded relation.
extension StatementText {
    /// Where the rows come from.
    enum Source {
        case relation(QualifiedName)
        /// A common table expression of this name.
        case expression(String)
        /// A function of another relation's row.
        case call(QualifiedName, String, QualifiedName)
    }

    /// How the columns of a SELECT are called.
    enum Naming {
        /// As in the answer.
        case answer
        /// By their places, so that no name of the answer is met by one of ours. Behind them come the values that the
        /// parent is ordered by. `isFlat`: the rows become the parent's, which makes the aggregates.
        case numbers(orders: [OrderTerm], isFlat: Bool)
    }

    static func numbered(_ number: Int) -> String { "c\(number + 1)" }

    private static func orderColumn(_ number: Int) -> String { "o\(number + 1)" }

    /// `SELECT … FROM … WHERE … GROUP BY … ORDER BY … LIMIT …`
    ///
    /// `joins` bind an embedded relation to its parent's row.
    mutating func addSelect(
        _ plan: ReadPlan,
        from source: Source,
        naming: Naming = .answer,
        joins: [Join] = [],
        junction: (QualifiedName, String)? = nil
    ) {
        add("SELECT ")
        let grouping = addColumns(plan, naming)
        add(" FROM ")
        switch source {
        case .relation(let name): add(name)
        case .expression(let name): add(name: name)
        case .call(let function, let alias, let type):
            add(function)
            add("(")
            add(name: alias)
            add("::")
            add(type)
            add(")")
        }
        add(" AS ")
        add(name: plan.alias)
        if let (relation, alias) = junction {
            add(", ")
            add(relation)
            add(" AS ")
            add(name: alias)
        }
        if !plan.isCounted { addEmbeds(plan) }
        addWhere(plan, joins: joins)
        if !grouping.isEmpty { add(" GROUP BY \(grouping.joined(separator: ", "))") }
        addOrder(plan, naming)
        addRange(plan.restriction)
    }

    // MARK: - Columns

    /// Gives what to group by: places of columns, and values that the rows are ordered by.
    private mutating func addColumns(_ plan: ReadPlan, _ naming: Naming) -> [String] {
        var isFlat = false
        var orders: [OrderTerm] = []
        var isNumbered = false
        if case .numbers(let terms, let flat) = naming { (isNumbered, orders, isFlat) = (true, terms, flat) }
        let isGrouped = !isFlat && plan.isGrouped
        // `*` hides which columns are represented otherwise.
        let outputs = plan.outputs(
            expanded: isNumbered || isGrouped || plan.relation?.hasRepresentations == true
        )
        var grouping: [String] = []
        list(Array(outputs.enumerated())) { text, item in
            let (number, output) = item
            if isGrouped, output.aggregate == nil { grouping.append("\(number + 1)") }
            text.add(output, of: plan, isFlat: isFlat, isGrouped: isGrouped)
            if case .everything = output.source { return }
            text.add(" AS ")
            text.add(name: isNumbered ? Self.numbered(number) : output.name)
        }
        for (number, term) in orders.enumerated() {
            if number + outputs.count > 0 { add(", ") }
            addOrderValue(term.field, of: plan)
            add(" AS \(Self.orderColumn(number))")
            if isGrouped { grouping.append("\(outputs.count + number + 1)") }
        }
        if isFlat { add(outputs.isEmpty && orders.isEmpty ? "TRUE AS \"value\"" : ", TRUE AS \"value\"") }
        guard isGrouped, !grouping.isEmpty else { return grouping }
        for embed in plan.embeds where !embed.isFlat {
            grouping += plan.orders(by: embed).indices.map { "\(embed.alias.quotedIdentifier).\(Self.orderColumn($0))" }
        }
        return grouping
    }

    private mutating func add(_ output: ReadPlan.Output, of plan: ReadPlan, isFlat: Bool, isGrouped: Bool) {
        let aggregate = isFlat ? nil : output.aggregate
        if let aggregate { add("\(aggregate.rawValue)(") }
        switch output.source {
        case .everything:
            add(name: plan.alias)
            add(".*")
        case .column(let column):
            if let function = plan.representation(of: column) {
                add("\(function)(")
                if let field = column.field { add(field, plan) }
                add(")")
                if let cast = column.cast { addType(cast) }
            } else if let field = column.field {
                addCast(field, column.cast, plan)
            } else {
                add(aggregate == nil ? "1" : "*")
            }
        case .value(let index):
            addValue(of: plan.embeds[index])
            if plan.printsRows { add("::jsonb") }
        case .spread(let index, let number): add(plan.embeds[index].alias, Self.numbered(number))
        }
        if aggregate != nil { add(")") }
        if aggregate != nil, let cast = output.aggregateCast { addType(cast) }
        if aggregate == nil, isGrouped, output.isJSON { add("::jsonb") }
    }

    private mutating func addValue(of embed: ReadPlan.Embed) {
        if embed.relationship.isToOne { return add(embed.alias, "value") }
        add("coalesce(")
        add(embed.alias, "value")
        add(", '[]')")
    }

    private mutating func addCast(_ field: FieldPath, _ cast: String?, _ plan: ReadPlan) {
        guard let cast else { return add(field, plan) }
        add("(")
        add(field, plan)
        add(")")
        addType(cast)
    }

    /// `::"type"`, quoted, so that nothing but a type can stand there; brackets make an array of it.
    private mutating func addType(_ cast: String) {
        var name = cast
        var brackets = ""
        while name.hasSuffix("[]") {
            name.removeLast(2)
            brackets += "[]"
        }
        add("::")
        add(
            Self.typeNames[name.lowercased()]
                ?? name.split(separator: ".").map { String($0).quotedIdentifier }.joined(separator: ".")
        )
        add(brackets)
    }

    /// Names of types that are words of the grammar, and so have another name in the catalog.
    private static let typeNames = [
        "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "real": "float4",
        "double precision": "float8", "float": "float8", "decimal": "numeric", "boolean": "bool", "char": "bpchar",
        "character": "bpchar", "character varying": "varchar", "time with time zone": "timetz",
        "time without time zone": "time", "timestamp with time zone": "timestamptz",
        "timestamp without time zone": "timestamp",
    ]

    // MARK: - Order

    /// ` ORDER BY …`, or nothing.
    private mutating func addOrder(_ plan: ReadPlan, _ naming: Naming) {
        guard !plan.restriction.order.isEmpty else { return }
        add(" ORDER BY ")
        list(plan.restriction.order) { text, term in
            if let relation = term.relation, let embed = plan.embed(named: relation) {
                text.addOrderValue(term, of: embed, in: plan)
            } else if case .answer = naming, plan.column(aliased: term.field) != nil {
                text.add(name: term.field.name)
            } else {
                text.addOrderValue(term.field, of: plan)
            }
            if let isDescending = term.isDescending { text.add(isDescending ? " DESC" : " ASC") }
            if let nullsFirst = term.nullsFirst { text.add(nullsFirst ? " NULLS FIRST" : " NULLS LAST") }
        }
    }

    /// A column, or what is selected under the name where no column has it.
    private mutating func addOrderValue(_ field: FieldPath, of plan: ReadPlan) {
        if let column = plan.column(aliased: field), column.aggregate == nil, let selected = column.field {
            addCast(selected, column.cast, plan)
        } else {
            add(field, plan)
        }
    }

    /// The value of an embedded relation's row that its parent is ordered by: the column that is spread already, as
    /// rows are grouped by it perhaps, else one that is there for the order alone.
    private mutating func addOrderValue(_ term: OrderTerm, of embed: ReadPlan.Embed, in plan: ReadPlan) {
        if embed.isFlat, let number = embed.plan.number(ofOutput: term.field) {
            return add(embed.alias, Self.numbered(number))
        }
        add(embed.alias, Self.orderColumn(plan.orders(by: embed).firstIndex(of: term) ?? 0))
    }

    // MARK: - Embedded relations

    private mutating func addEmbeds(_ plan: ReadPlan) {
        for embed in plan.embeds {
            add(embed.isInner ? " INNER JOIN LATERAL (" : " LEFT JOIN LATERAL (")
            addEmbedded(embed, parent: plan)
            add(") AS ")
            add(name: embed.alias)
            if embed.isInner, !embed.relationship.isToOne {
                add(" ON ")
                add(embed.alias, "value")
                add(" IS NOT NULL")
            } else {
                add(" ON TRUE")
            }
        }
    }

    /// One row with the column `value`, an object or an array; a spread gives its columns by their numbers beside it.
    private mutating func addEmbedded(_ embed: ReadPlan.Embed, parent: ReadPlan) {
        let rows = "\(embed.alias)_rows".quotedIdentifier
        let orders = parent.orders(by: embed)
        if embed.isFlat { return addRows(of: embed, parent: parent, .numbers(orders: orders, isFlat: true)) }
        let naming: Naming
        if embed.isSpread {
            add("SELECT nullif(count(*), 0) AS \"value\"")
            for number in embed.plan.outputs(expanded: true).indices {
                let name = Self.numbered(number)
                add(", coalesce(json_agg(\(rows).\(name)), '[]') AS \(name)")
            }
            naming = .numbers(orders: [], isFlat: false)
        } else if !embed.relationship.isToOne {
            add("SELECT json_agg(\(rows)) AS \"value\"")
            naming = .answer
        } else if orders.isEmpty {
            add("SELECT row_to_json(\(rows)) AS \"value\"")
            naming = .answer
        } else {
            return addOrdered(embed, parent: parent, orders, rows)
        }
        add(" FROM (")
        addRows(of: embed, parent: parent, naming)
        add(") AS \(rows)")
    }

    /// An object beside the values that the parent is ordered by, which it must not hold.
    private mutating func addOrdered(
        _ embed: ReadPlan.Embed,
        parent: ReadPlan,
        _ orders: [OrderTerm],
        _ rows: String
    ) {
        let object = "\(embed.alias)_object".quotedIdentifier
        add("SELECT row_to_json(\(object)) AS \"value\"")
        for number in orders.indices { add(", \(rows).\(Self.orderColumn(number))") }
        add(" FROM (")
        addRows(of: embed, parent: parent, .numbers(orders: orders, isFlat: false))
        add(") AS \(rows), LATERAL (SELECT ")
        list(Array(embed.plan.outputs(expanded: true).enumerated())) { text, item in
            text.add("\(rows).\(Self.numbered(item.offset)) AS ")
            text.add(name: item.element.name)
        }
        add(") AS \(object)")
    }

    /// The rows that belong to the parent's row.
    mutating func addRows(of embed: ReadPlan.Embed, parent: ReadPlan, _ naming: Naming) {
        var plan = embed.plan
        switch embed.relationship.link {
        case .toOne(_, let columns, _), .toMany(_, let columns, _):
            let joins = columns.map {
                Join(alias: plan.alias, column: $0.target, otherAlias: parent.alias, otherColumn: $0.source)
            }
            addSelect(plan, from: .relation(embed.relationship.target), naming: naming, joins: joins)
        case .through(let junction):
            let outer = junction.sourceColumns.map {
                Join(alias: embed.junctionAlias, column: $0.target, otherAlias: parent.alias, otherColumn: $0.source)
            }
            let inner = junction.targetColumns.map {
                Join(alias: plan.alias, column: $0.target, otherAlias: embed.junctionAlias, otherColumn: $0.source)
            }
            addSelect(
                plan,
                from: .relation(embed.relationship.target),
                naming: naming,
                joins: outer + inner,
                junction: (junction.relation, embed.junctionAlias)
            )
        case .computed(let function, let isToOne):
            if isToOne { plan.restriction.limit = 1 }
            addSelect(plan, from: .call(function, parent.alias, embed.relationship.source), naming: naming)
        }
    }
}
