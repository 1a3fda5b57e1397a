package import SwiftletPostgres

/// SQL that functions declare and PostgreSQL refuses: requests for such a resource would all be a 500.
package enum DeclarationFaults {
    /// One line for each, such as `invoices: Computed("total"): column t.amuont does not exist`. Reads no rows.
    ///
    /// Throws if the database cannot be asked.
    package static func find(in functions: [Function], _ database: Database) async throws(PostgresError) -> [String] {
        var faults: Set<String> = []
        for declared in declarations(functions, database.schema) {
            do throws(PostgresError) {
                _ = try await database.query(Statement(declared.text, isReadOnly: true), .none)
            } catch {
                faults.insert("\(declared.place): \(try message(error))")
            }
        }
        return faults.sorted()
    }

    /// The same, in a transaction whose tables are those of `schema`.
    package static func find(
        in functions: [Function],
        _ schema: Schema,
        _ transaction: Transaction
    ) async throws -> [String] {
        var faults: Set<String> = []
        for declared in declarations(functions, schema) {
            do {
                try await transaction.undoing { transaction in
                    _ = try await transaction.query(Statement(declared.text, isReadOnly: true), .none)
                }
            } catch let error as PostgresError {
                faults.insert("\(declared.place): \(try message(error))")
            }
        }
        return faults.sorted()
    }

    private static func declarations(
        _ functions: [Function],
        _ schema: Schema
    ) -> [(place: String, text: String)] {
        functions.flatMap(\.routes).compactMap(\.table).flatMap { table in
            table.declaredSQL(schema).map { ("\(table.name): \($0.rule)", $0.statement) }
        }
    }

    /// What PostgreSQL says of the SQL. Rethrows an error that is none of the SQL.
    private static func message(_ error: PostgresError) throws(PostgresError) -> String {
        guard error.kind == .server, ["22", "42"].contains(error.state.errorClass) else { throw error }
        return error.message
    }
}
