package import SwiftletPostgres

extension Database {
    /// Whether the catalog has changed since `schema` was read, so that what `error` ended can be tried again. Reads
    /// the catalog if a change can have caused the error.
    package func hasChanged(
        since schema: Schema,
        after error: PostgresError,
        meansNewColumn: Bool
    ) async throws(PostgresError) -> Bool {
        if error.meansStaleSchema {
            try await reloadSchema()
            guard error.meansStaleStatement else { return self.schema.version != schema.version }
            // Other connections have prepared it as well.
            await forgetPrepared()
            return true
        }
        guard meansNewColumn else { return false }
        // A column that a known table lacks was made since, also when the reading is so young that nobody has told yet.
        if let table = error.table, schema.tables[table] != nil {
            try await reloadSchema()
            return self.schema.version != schema.version
        }
        return try await reloadSchemaAfterMiss(version: schema.version)
    }
}

extension PostgresError {
    /// A table, column or type is gone, or a column is of another type: the catalog may have changed since it was read
    /// (PostgreSQL manual, Appendix A).
    package var meansStaleSchema: Bool {
        switch state {
        case .undefinedTable, .undefinedColumn, .undefinedObject, .undefinedFunction, .datatypeMismatch: true
        default: isResultChanged
        }
    }

    /// The statement was prepared for columns of other types. The catalog may be as it was nevertheless, if they were
    /// changed and changed back.
    var meansStaleStatement: Bool {
        ([.datatypeMismatch, .undefinedFunction].contains(state) || isResultChanged) && !isWithinFunction
    }

    /// A column that must not be null was not there when the catalog was read, in the table that PostgreSQL names. It may
    /// name a partition and not its table.
    func meansNewColumn(in schema: Schema) -> Bool {
        guard state == .notNullViolation, let table, let column else { return false }
        return schema.tables[table]?.column(column) == nil
    }
}
