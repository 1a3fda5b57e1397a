public import SwiftletPostgres

/// One of several reads that make an answer together, each of which may fail on its own.
public struct DatabasePart: Sendable {
    public let name: String
    let table: String
    let sql: SQL

    /// `name` is what clients are told of a part that failed. If the database lacks `table`, the part has no rows.
    public init(_ name: StaticString, of table: StaticString, _ sql: SQL) {
        self.name = name.description
        self.table = table.description
        self.sql = sql
    }
}

/// What the parts of an answer found.
public struct DatabaseParts: Sendable {
    private var found: [String: [Row]] = [:]
    /// The names of the parts that failed, in the order in which they were asked for.
    public private(set) var degraded: [String] = []

    /// The part's rows; nil if it failed.
    public func rows(_ name: String) -> [Row]? { found[name] }

    /// A value of the part's first row, as JSON; null if it failed.
    public func value(_ name: String, _ column: String) throws -> JSONValue {
        try found[name]?.first?.json(column) ?? .null
    }

    mutating func add(_ part: DatabasePart, _ rows: [Row]?) {
        if let rows { found[part.name] = rows } else { degraded.append(part.name) }
    }
}

extension TenantDatabase {
    /// Reads all parts in one round trip. A part that PostgreSQL refuses is in ``DatabaseParts/degraded``; the others
    /// are served.
    ///
    /// Each must bind the tenant, as in ``query(_:)``. Throws ``PostgresError`` if all of them fail.
    public func parts(_ parts: [DatabasePart]) async throws -> DatabaseParts {
        let schema = context.server.database.schema
        let answers = try await withThrowingTaskGroup(of: (Int, Result<[Row], PostgresError>).self) { group in
            for (index, part) in parts.enumerated() {
                // Before the catalog is read, PostgreSQL says what is missing.
                if schema.version > 0, schema.tables[part.table] == nil {
                    try context.noteMissingTable(part.table)
                    group.addTask { (index, .success([])) }
                } else {
                    group.addTask { (index, try await answer(part)) }
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var result = DatabaseParts()
        for (index, part) in parts.enumerated() {
            result.add(part, try? answers[index]?.get())
        }
        if result.degraded.count == parts.count, case .failure(let error)? = answers[0] { throw error }
        return result
    }

    private func answer(_ part: DatabasePart) async throws -> Result<[Row], PostgresError> {
        do {
            return .success(try await query(part.sql))
        } catch let error as PostgresError {
            if error.state == .undefinedTable { return .success([]) }
            context.logger.warning(
                "a part is missing from an answer",
                metadata: ["part": "\(part.name)", "error": "\(error)"]
            )
            return .failure(error)
        }
    }
}
