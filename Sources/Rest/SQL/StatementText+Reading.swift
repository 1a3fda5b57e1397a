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

    /// `SELECT … FROM … WHERE … ORDER BY … LIMIT …`
    ///
    /// `joins` bind an embedded relation to its parent's row; `orders` are the values that the parent is ordered by.
    mutating func addSelect(
        _ plan: ReadPlan,
        from source: Source,
        isRestricted: Bool = true,
        joins: [Join] = [],
        junction: (QualifiedName, String)? = nil
    ) {
        add("SELECT ")
        addColumns(plan)
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
        addEmbeds(plan)
        if isRestricted { addWhere(plan, joins: joins) }
        addGrouping(plan)
        addOrder(plan)
        if isRestricted { addRange(plan.restriction) }
    }

    private mutating func addColumns(_ plan: ReadPlan) {
        var isFirst = true
        func separate(_ text: inout StatementText) {
            if !isFirst { text.add(", ") }
            isFirst = false
        }
        for item in plan.items {
            switch item {
            case .all:
                separate(&self)
                add(name: plan.alias)
                add(".*")
            case .column(let column):
                separate(&self)
                add(column, plan)
            case .embed(let index):
                // Without items it is only there to be filtered by. A row without columns is still a row.
                let embed = plan.embeds[index]
                if embed.isHidden { continue }
                separate(&self)
                if embed.isSpread {
                    add(name: embed.alias)
                    add(".*")
                } else {
                    addValue(of: embed)
                    add(" AS ")
                    add(name: embed.name)
                }
            }
        }
    }

    private mutating func addValue(of embed: ReadPlan.Embed) {
        if embed.relationship.isToOne { return add(embed.alias, "value") }
        add("coalesce(")
        add(embed.alias, "value")
        add(", '[]')")
    }

    private mutating func add(_ column: ColumnSelection, _ plan: ReadPlan) {
        let field = column.field
        if let aggregate = column.aggregate {
            add("\(aggregate.rawValue)(")
            if let field { addCast(field, column.cast, plan) } else { add("*") }
            add(")")
            if let cast = column.aggregateCast { addType(cast) }
        } else if let field {
            addCast(field, column.cast, plan)
        }
        let isPlain = field?.steps.isEmpty == true && column.cast == nil && column.aggregate == nil
        guard !isPlain || column.alias != nil else { return }
        add(" AS ")
        add(name: column.name)
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
                ?? name.split(separator: ".").map { Self.quoted(String($0)) }.joined(separator: ".")
        )
        add(brackets)
    }

    /// Names of types that are words of the grammar, and so have another name in the catalogue.
    private static let typeNames = [
        "int": "int4", "integer": "int4", "bigint": "int8", "smallint": "int2", "real": "float4",
        "double precision": "float8", "float": "float8", "decimal": "numeric", "boolean": "bool", "char": "bpchar",
        "character": "bpchar", "character varying": "varchar", "time with time zone": "timetz",
        "time without time zone": "time", "timestamp with time zone": "timestamptz",
        "timestamp without time zone": "timestamp",
    ]

    private mutating func addGrouping(_ plan: ReadPlan) {
        let columns = plan.items.compactMap { if case .column(let column) = $0 { column } else { nil } }
        guard columns.contains(where: { $0.aggregate != nil }) else { return }
        let keys = columns.filter { $0.aggregate == nil && $0.field != nil }
        let embeds = plan.items.compactMap { item -> ReadPlan.Embed? in
            if case .embed(let index) = item, !plan.embeds[index].isHidden { plan.embeds[index] } else { nil }
        }
        guard !keys.isEmpty || !embeds.isEmpty else { return }
        add(" GROUP BY ")
        list(keys) { text, column in
            if let field = column.field { text.addCast(field, column.cast, plan) }
        }
        for (index, embed) in embeds.enumerated() {
            if index > 0 || !keys.isEmpty { add(", ") }
            add(embed.alias, "value")
            // JSON has no equality; its binary form has.
        }
    }

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

    /// One row with the column `value`: an object, or an array. A spread gives its columns beside it.
    private mutating func addEmbedded(_ embed: ReadPlan.Embed, parent: ReadPlan) {
        let inner = StatementText.quoted("\(embed.alias)_rows")
        let orders = parent.restriction.order.filter { $0.relation == embed.name }
        if embed.relationship.isToOne {
            if embed.isSpread {
                return addRows(of: embed, parent: parent, orders: orders)
            }
            add("SELECT row_to_json(\(inner)) AS \"value\"")
            if !orders.isEmpty {
                // The object must not hold what it is only ordered by.
                return addOrdered(embed, parent: parent, orders)
            }
        } else if embed.isSpread {
            add("SELECT ")
            addSpreadArrays(embed, inner)
        } else {
            add("SELECT json_agg(\(inner)) AS \"value\"")
        }
        add(" FROM (")
        addRows(of: embed, parent: parent, orders: [])
        add(") AS \(inner)")
    }

    /// Each column of the many rows as an array.
    private mutating func addSpreadArrays(_ embed: ReadPlan.Embed, _ inner: String) {
        var names: [String] = []
        for item in embed.plan.items {
            switch item {
            case .all: names += embed.plan.relation?.columns.map(\.name) ?? []
            case .column(let column): names.append(column.name)
            case .embed(let index): names.append(embed.plan.embeds[index].name)
            }
        }
        list(names) { text, name in
            text.add(
                "coalesce(json_agg(\(inner).\(StatementText.quoted(name))), '[]') AS \(StatementText.quoted(name))"
            )
        }
    }

    private mutating func addOrdered(_ embed: ReadPlan.Embed, parent: ReadPlan, _ orders: [OrderTerm]) {
        let inner = "\(embed.alias)_rows"
        for term in orders {
            add(", ")
            add("\(embed.alias)_order", Self.orderColumn(of: term))
        }
        add(" FROM (")
        addRows(of: embed, parent: parent, orders: orders)
        add(") AS ")
        add(name: "\(embed.alias)_order")
        add(", LATERAL (SELECT ")
        var names: [String] = []
        for item in embed.plan.items {
            switch item {
            case .all: names += embed.plan.relation?.columns.map(\.name) ?? []
            case .column(let column): names.append(column.name)
            case .embed(let index): names.append(embed.plan.embeds[index].name)
            }
        }
        list(names) { text, name in text.add("\(embed.alias)_order", name) }
        add(") AS ")
        add(name: inner)
    }

    /// The rows that belong to the parent's row.
    private mutating func addRows(of embed: ReadPlan.Embed, parent: ReadPlan, orders: [OrderTerm]) {
        var plan = embed.plan
        for term in orders {
            // Another alias of its own column.
            plan.items.append(
                .column(ColumnSelection(field: term.field, alias: Self.orderColumn(of: term)))
            )
        }
        switch embed.relationship.link {
        case .toOne(_, let columns, _), .toMany(_, let columns, _):
            let joins = columns.map {
                Join(alias: plan.alias, column: $0.target, otherAlias: parent.alias, otherColumn: $0.source)
            }
            addSelect(plan, from: .relation(embed.relationship.target), joins: joins)
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
                joins: outer + inner,
                junction: (junction.relation, embed.junctionAlias)
            )
        case .computed(let function, let isToOne):
            if isToOne { plan.restriction.limit = 1 }
            addSelect(plan, from: .call(function, parent.alias, embed.relationship.source))
        }
    }
}
