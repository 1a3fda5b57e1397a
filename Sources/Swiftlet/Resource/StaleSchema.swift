import Postgres

extension Database {
    /// Whether the catalog has changed since `schema` was read, so that what `error` ended can be tried again. Reads
    /// the catalog if a change can have caused the error.
    func hasChanged(
        since schema: Schema,
        after error: PostgresError,
        meansNewColumn: Bool
    ) async throws(PostgresError) -> Bool {
        if error.meansStaleSchema {
            try await reloadSchema()
            return self.schema.version != schema.version || error.meansStaleStatement
        }
        guard meansNewColumn else { return false }
        return try await reloadSchemaAfterMiss(version: schema.version)
    }
}

extension PostgresError {
    /// A table, column or type is gone, or a column is of another type: the catalog may have changed since it was read
    /// (PostgreSQL manual, Appendix A).
    var meansStaleSchema: Bool {
        switch state {
        case .undefinedTable, .undefinedColumn, .undefinedObject, .undefinedFunction, .datatypeMismatch: true
        default: false
        }
    }

    /// The statement was prepared for columns of other types. The catalog may be as it was nevertheless, if they were
    /// changed and changed back.
    var meansStaleStatement: Bool { [.datatypeMismatch, .undefinedFunction].contains(state) && !isWithinFunction }

    /// A column that must not be null was not there when the catalog was read, or one has got another type. PostgreSQL
    /// names the partition and not its table, so only the column tells.
    func meansNewColumn(in table: PlannedTable) -> Bool {
        if meansNewType { return true }
        return state == .notNullViolation && column.map(table.has) == false
    }

    /// The text of a value is not one of the column's type. Values are checked before they are sent, so a client's
    /// mistake is no cause of it where ``BoundChange/isChecked(for:)``.
    var meansNewType: Bool { state == .invalidTextRepresentation && kind == .server }

    /// The same where it is not known which table was written to, unless it has that name.
    func meansNewColumn(in schema: Schema) -> Bool {
        guard state == .notNullViolation, let table, let column else { return false }
        return schema.tables[table]?.column(column) == nil
    }
}
