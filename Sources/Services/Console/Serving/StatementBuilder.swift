import SwiftletPostgres

/// A statement in the making: text from literals and quoted names, values bound.
struct StatementBuilder {
    private(set) var text = ""
    private(set) var parameters = Parameters(minimumCapacity: 64)

    init(_ text: StaticString = "") { self.text = text.description }

    mutating func add(_ literal: StaticString) { text += literal.description }

    /// Text that PostgreSQL has written itself: a type, an expression of a policy.
    mutating func add(trusted: String) { text += trusted }

    mutating func add(name: String) { text += name.quotedIdentifier }

    mutating func bind(_ value: String?) {
        parameters.append(value)
        text += "$\(parameters.count)"
    }

    mutating func bind(_ values: [String?]) {
        parameters.append(array: values)
        text += "$\(parameters.count)"
    }

    mutating func list<Item>(
        _ items: some Collection<Item>,
        _ separator: StaticString = ", ",
        _ add: (inout StatementBuilder, Item) throws -> Void
    ) rethrows {
        for (index, item) in items.enumerated() {
            if index > 0 { text += separator.description }
            try add(&self, item)
        }
    }

    var statement: Statement { Statement(text, isReadOnly: false) }
}

extension Transaction {
    @discardableResult
    func run(_ builder: StatementBuilder) async throws(PostgresError) -> [Row] {
        try await rows(builder.statement, builder.parameters)
    }

    /// The first cell of the first row; `null` if there is none.
    func json(_ builder: StatementBuilder) async throws(PostgresError) -> String {
        let rows = try await run(builder)
        return rows.first.flatMap { row in row.columns.first.flatMap { row[$0] } } ?? "null"
    }

    func json(_ sql: SQL) async throws(PostgresError) -> String {
        let rows = try await query(sql)
        return rows.first.flatMap { row in row.columns.first.flatMap { row[$0] } } ?? "null"
    }
}
