import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Real statements as the role, each in a transaction that is rolled back.
struct AccessTrial {
    let database: ConsoleDatabase
    let table: ConsoleTable
    let identity: Identity
    let policies: PolicySet

    /// The keys that the role really finds; nil if the table has no key.
    func visible(_ keys: [AccessSample.Key]) async throws -> Set<String>? {
        guard !table.key.isEmpty else { return nil }
        guard policies.granted[.select] == true, policies.hasUsage, !keys.isEmpty else { return [] }
        var builder = StatementBuilder("SELECT to_json(ARRAY[")
        table.addKey(to: &builder)
        builder.add("]::text[])::text AS key FROM ")
        table.add(to: &builder)
        builder.add(" WHERE ")
        table.addKey(in: keys, to: &builder)
        let statement = builder
        let rows = try await database.rollingBack(timeout: AccessQuestion.timeout) { transaction in
            try await identity.assume(in: transaction)
            return try await transaction.run(statement)
        }
        return Set(rows.compactMap { $0["key"] })
    }

    /// Performs a change of one row. The message is PostgreSQL's, if it refuses.
    func attempt(
        _ action: PolicySet.Action,
        _ key: [String?]
    ) async throws -> (isAllowed: Bool, message: String?) {
        var builder = StatementBuilder(action == .delete ? "DELETE FROM " : "UPDATE ")
        table.add(to: &builder)
        if action == .update {
            let column = table.columns.first { policies.updatable.contains($0.name) && !$0.isGenerated } ?? table.key[0]
            builder.add(" SET ")
            builder.add(name: column.name)
            builder.add(" = ")
            builder.add(name: column.name)
        }
        builder.add(" WHERE ")
        builder.add(table.key, equal: key)
        return try await run(builder)
    }

    /// Inserts nothing: what the policies say of the row, and on request what PostgreSQL says.
    func insertion(of row: JSONObject, really: Bool) async throws -> Verdict {
        var builder = StatementBuilder("SELECT jsonb_populate_record(NULL::")
        table.add(to: &builder)
        builder.add(", ")
        builder.bind(JSONValue.object(row).description)
        builder.add("::jsonb)::text AS row")
        let making = builder
        let text = try await database.read { try await $0.run(making).first?["row"] ?? "" }
        let evaluation = try await PolicyEvaluation.of(policies, on: [text], of: table, as: identity, database)
        var verdict = Verdict(policies.explain(.insert, evaluation.values[0]))
        let cells = table.columns.map { row[$0.name]?.string }
        let sample = AccessSample.Row(key: "", keyValues: [], cells: cells, text: text)
        verdict.text += evaluation.reasons(verdict, sample, table)
        if really {
            let outcome = try await run(insertion(of: row))
            verdict.settle(outcome.isAllowed, said: outcome.message)
        }
        return verdict
    }

    private func insertion(of row: JSONObject) throws -> StatementBuilder {
        let columns = try row.map { try table.column($0.name) }
        var builder = StatementBuilder("INSERT INTO ")
        table.add(to: &builder)
        builder.add(" (")
        builder.list(columns) { $0.add(name: $1.name) }
        builder.add(") SELECT ")
        builder.list(columns) { $0.add(name: $1.name) }
        builder.add(" FROM jsonb_populate_record(NULL::")
        table.add(to: &builder)
        builder.add(", ")
        builder.bind(JSONValue.object(row).description)
        builder.add("::jsonb)")
        return builder
    }

    private func run(_ builder: StatementBuilder) async throws -> (isAllowed: Bool, message: String?) {
        do {
            return try await database.rollingBack(timeout: AccessQuestion.timeout) { transaction in
                try await identity.assume(in: transaction)
                let rows = try await transaction.query(builder.statement, builder.parameters)
                return (rows.affectedRows > 0, nil)
            }
        } catch let error as ConsoleError where error.status == .badRequest {
            return (false, error.message)
        }
    }
}
