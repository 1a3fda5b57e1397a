package import SwiftletPostgres

/// The way from one node to a database that is distributed by tenant (Citus): every statement, in order, with its
/// reason.
///
/// Tables of `public` with a `tenant_id` that is never null are distributed by it, next to each other; the named
/// reference tables are copied to every node; all others stay on the coordinator. What was done already is left out, so
/// a plan may be made and applied again.
package struct DistributionPlan: Sendable {
    package struct Step: Hashable, Sendable {
        package let reason: String
        package let sql: String
    }

    package let steps: [Step]
    /// The tables that are to be distributed, by name.
    package let distributed: [String]
    package let references: [String]
    /// Tables of `public` that stay where they are.
    package let local: [String]
    /// What foreign keys have now and will not have afterwards, in sentences.
    package let changes: [String]
    /// Why it cannot be applied, in words.
    package let faults: [String]

    /// Whose tables belong to nobody, or to people of several tenants.
    package static let usualReferences = ["tenants", "roles", "users"]

    /// Reads the catalog, and changes nothing.
    package init(
        _ connection: borrowing BlockingConnection,
        references names: [String] = usualReferences
    ) throws(BlockingConnectionError) {
        let catalog = try DistributionCatalog(connection, references: names)
        distributed = catalog.distributed
        references = catalog.references
        local = catalog.local
        changes = try catalog.changes(connection)
        faults = try catalog.faults(connection, named: names)
        var steps: [Step] = []
        for part in DistributionCatalog.Part.allCases {
            for sql in try catalog.statements(part, connection) {
                steps.append(Step(reason: part.reason, sql: sql))
            }
        }
        self.steps = steps
    }

    /// The plan as a script for people to read, or for psql.
    package var script: String {
        var lines: [String] = []
        var reason = ""
        for step in steps {
            if step.reason != reason { lines.append("\n-- \(step.reason)") }
            reason = step.reason
            lines.append(step.sql + ";")
        }
        return "BEGIN;" + lines.joined(separator: "\n") + "\n\nCOMMIT;\nNOTIFY pgrst, 'reload schema';\n"
    }

    /// Runs the plan in one transaction.
    package func apply(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) {
        try connection.execute("BEGIN")
        for step in steps { try connection.execute(step.sql) }
        try connection.execute("COMMIT")
        try connection.execute("NOTIFY pgrst, 'reload schema'")
    }
}
