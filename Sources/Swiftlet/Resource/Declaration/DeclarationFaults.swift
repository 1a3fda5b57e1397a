package import Postgres

/// SQL that functions declare (``computed(_:_:needs:)``, ``count(_:where:needs:)``) and PostgreSQL refuses:
/// requests for such a resource would all be a 500.
package enum DeclarationFaults {
    /// One line for each, such as `invoices: computed("total"): column t.amuont does not exist`. Reads no rows.
    ///
    /// Throws if the database cannot be asked.
    package static func find(in functions: [Function], _ database: Database) async throws(PostgresError) -> [String] {
        var faults: Set<String> = []
        for resource in functions.flatMap(\.routes).compactMap(\.resource) {
            let plan = resource.plans.plan(for: resource, in: database.schema)
            guard let table = plan.table else { continue }
            for declared in plan.read.declaredSQL {
                let statement = Statement(
                    "SELECT \(declared.expression) FROM \(table.quotedName) t LIMIT 0",
                    isReadOnly: true
                )
                do throws(PostgresError) {
                    _ = try await database.query(statement, .none)
                } catch {
                    guard error.kind == .server, ["22", "42"].contains(error.state.errorClass) else { throw error }
                    faults.insert("\(resource.table): \(declared.rule): \(error.message)")
                }
            }
        }
        return faults.sorted()
    }
}
