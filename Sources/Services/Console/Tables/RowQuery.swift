import SwiftletJSON
import SwiftletPostgres

/// A page of rows: filters, an order, and where it begins.
struct RowQuery {
    struct Filter {
        let column: ConsoleTable.Column
        let operation: String
        let value: String?
    }

    struct Order {
        let column: ConsoleTable.Column
        let isDescending: Bool
    }

    let table: ConsoleTable
    let filters: [Filter]
    let order: [Order]
    /// The values of the ordered columns in the row before the page.
    let after: [String?]?
    /// Where there is no key: how many rows come before the page.
    let offset: Int
    /// Pages backwards; the rows come in reverse.
    let isReversed: Bool
    let limit: Int
    let masksSecrets: Bool

    static let maximumFilters = 20
    static let maximumLimit = 500
    static let cellCharacters = 1024

    init(_ body: JSONObject, _ table: ConsoleTable, masksSecrets: Bool) throws {
        self.table = table
        self.masksSecrets = masksSecrets
        func usable(_ name: String) throws(ConsoleError) -> ConsoleTable.Column {
            let column = try table.column(name)
            if masksSecrets, ConsoleTable.isSecret(name) { throw .bad("\(name) is hidden from viewers.") }
            return column
        }
        filters = try (body["filters"]?.array ?? []).prefix(Self.maximumFilters).map { filter in
            let operation = filter["op"]?.string ?? "eq"
            guard Self.operations.contains(operation) else { throw ConsoleError.bad("\(operation) is no filter.") }
            return Filter(
                column: try usable(filter["column"]?.string ?? ""),
                operation: operation,
                value: filter["value"]?.string
            )
        }
        var order = try (body["order"]?.array ?? []).prefix(5).map { item in
            Order(column: try usable(item["column"]?.string ?? ""), isDescending: item["desc"]?.bool ?? false)
        }
        let named = Set(order.map(\.column.name))
        let isDescending = order.first?.isDescending ?? false
        for column in table.key where !named.contains(column.name) {
            order.append(Order(column: column, isDescending: isDescending))
        }
        let isReversed = body["reverse"]?.bool ?? false
        self.isReversed = isReversed
        self.order = order.map { Order(column: $0.column, isDescending: $0.isDescending != isReversed) }
        after = body["after"]?.array?.map(\.string)
        offset = min(max(body["offset"]?.int ?? 0, 0), 100_000)
        limit = min(max(body["limit"]?.int ?? 100, 1), Self.maximumLimit)
        if let after, after.count != self.order.count { throw ConsoleError.bad("The page begins nowhere.") }
    }

    private static let operations: Set<String> = [
        "eq", "neq", "gt", "gte", "lt", "lte", "contains", "starts", "null", "notnull", "true", "false",
    ]

    /// Rows as arrays of texts, each with its version. One more than the limit, if there are more.
    var statement: StatementBuilder {
        var builder = StatementBuilder("SELECT coalesce(json_agg(json_build_object('cells', cells, 'version', version")
        builder.add(", 'order', ordered, 'key', key)), '[]') FROM (SELECT to_json(ARRAY[")
        builder.list(table.columns) { $0.addCell($1, characters: "1025", masksSecrets: masksSecrets) }
        builder.add("]::text[]) AS cells, ")
        builder.add(table.isTable ? "xmin::text AS version, " : "NULL::text AS version, ")
        builder.add("to_json(ARRAY[")
        builder.list(order) { builder, order in
            builder.add(name: order.column.name)
            builder.add("::text")
        }
        builder.add("]::text[]) AS ordered, to_json(ARRAY[")
        builder.list(table.key) { builder, column in
            builder.add(name: column.name)
            builder.add("::text")
        }
        builder.add("]::text[]) AS key FROM ")
        table.add(to: &builder)
        addConditions(to: &builder, beyond: true)
        addOrder(to: &builder)
        builder.add(" LIMIT ")
        builder.bind(String(limit + 1))
        builder.add("::bigint")
        if order.isEmpty, offset > 0 {
            builder.add(" OFFSET ")
            builder.bind(String(offset))
            builder.add("::bigint")
        }
        builder.add(") page")
        return builder
    }

    /// Declares a cursor over all rows that match, as PostgreSQL writes their values.
    var cursor: StatementBuilder {
        var builder = StatementBuilder("DECLARE console_export NO SCROLL CURSOR FOR SELECT ")
        builder.list(table.columns) { builder, column in
            if masksSecrets, ConsoleTable.isSecret(column.name) {
                builder.addCell(column, characters: "1", masksSecrets: true)
            } else {
                builder.add(name: column.name)
            }
        }
        builder.add(" FROM ")
        table.add(to: &builder)
        addConditions(to: &builder, beyond: false)
        addOrder(to: &builder)
        return builder
    }

    private func addOrder(to builder: inout StatementBuilder) {
        guard !order.isEmpty else { return }
        builder.add(" ORDER BY ")
        builder.list(order) { builder, order in
            builder.add(name: order.column.name)
            if order.isDescending { builder.add(" DESC") }
        }
    }

    static let exactCount = 10_000

    /// How many rows there are, up to one more than are counted exactly.
    var counting: StatementBuilder {
        var builder = StatementBuilder("SELECT count(*) FROM (SELECT FROM ")
        table.add(to: &builder)
        addConditions(to: &builder, beyond: false)
        builder.add(" LIMIT 10001) counted")
        return builder
    }

    func addConditions(to builder: inout StatementBuilder, beyond: Bool) {
        let beginning = beyond ? after : nil
        guard !filters.isEmpty || beginning != nil else { return }
        builder.add(" WHERE ")
        builder.list(filters, " AND ") { $1.add(to: &$0) }
        guard let beginning else { return }
        if !filters.isEmpty { builder.add(" AND ") }
        addPosition(beginning, to: &builder)
    }

    private func addPosition(_ values: [String?], to builder: inout StatementBuilder) {
        let isUniform = Set(order.map(\.isDescending)).count == 1
        if isUniform, order.allSatisfy(\.column.isNotNull) {
            builder.add("(")
            builder.list(order) { $0.add(name: $1.column.name) }
            builder.add(order[0].isDescending ? ") < (" : ") > (")
            builder.list(zip(order, values).map { $0 }) { builder, pair in
                builder.bind(pair.1)
                builder.add("::")
                builder.add(trusted: pair.0.column.type)
            }
            builder.add(")")
            return
        }
        // NULL comes last, or first in descending order.
        builder.add("(")
        builder.list(order.indices, " OR ") { builder, index in
            builder.add("(")
            for earlier in 0..<index {
                builder.add(name: order[earlier].column.name)
                builder.add(" IS NOT DISTINCT FROM ")
                builder.bind(values[earlier])
                builder.add("::")
                builder.add(trusted: order[earlier].column.type)
                builder.add(" AND ")
            }
            let (column, isDescending) = (order[index].column, order[index].isDescending)
            if let value = values[index] {
                builder.add("(")
                builder.add(name: column.name)
                builder.add(isDescending ? " < " : " > ")
                builder.bind(value)
                builder.add("::")
                builder.add(trusted: column.type)
                if !isDescending {
                    builder.add(" OR ")
                    builder.add(name: column.name)
                    builder.add(" IS NULL")
                }
                builder.add(")")
            } else if isDescending {
                builder.add(name: column.name)
                builder.add(" IS NOT NULL")
            } else {
                builder.add("false")
            }
            builder.add(")")
        }
        builder.add(")")
    }
}

extension RowQuery.Filter {
    fileprivate func add(to builder: inout StatementBuilder) {
        switch operation {
        case "null", "notnull", "true", "false":
            builder.add(name: column.name)
            builder.add(
                ["null": " IS NULL", "notnull": " IS NOT NULL", "true": " IS TRUE"][operation] ?? " IS FALSE"
            )
        case "contains":
            builder.add("position(lower(")
            builder.bind(value)
            builder.add("::text) IN lower(")
            builder.add(name: column.name)
            builder.add("::text)) > 0")
        case "starts":
            builder.add("starts_with(")
            builder.add(name: column.name)
            builder.add("::text, ")
            builder.bind(value)
            builder.add("::text)")
        default:
            builder.add(name: column.name)
            builder.add(
                ["neq": " IS DISTINCT FROM ", "gt": " > ", "gte": " >= ", "lt": " < ", "lte": " <= "][operation]
                    ?? " = "
            )
            builder.bind(value)
            builder.add("::")
            builder.add(trusted: column.type)
        }
    }
}
