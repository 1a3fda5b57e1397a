package import SwiftletPostgres

/// SQL that functions declare and PostgreSQL refuses: requests for such a resource would all be a 500.
package enum DeclarationFaults {
    /// One line for each, such as `invoices: Computed("total"): column t.amuont does not exist`. Reads no rows.
    ///
    /// Throws if the database cannot be asked.
    package static func find(in functions: [Function], _ database: Database) async throws(PostgresError) -> [String] {
        var faults: Set<String> = []
        for table in functions.flatMap(\.routes).compactMap(\.table) {
            for declared in table.declaredSQL(database.schema) {
                do throws(PostgresError) {
                    _ = try await database.query(Statement(declared.statement, isReadOnly: true), .none)
                } catch {
                    guard error.kind == .server, ["22", "42"].contains(error.state.errorClass) else { throw error }
                    faults.insert("\(table.name): \(declared.rule): \(error.message)")
                }
            }
        }
        return faults.sorted()
    }
}
