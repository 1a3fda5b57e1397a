import SwiftletHTTP
import SwiftletJSON
package import SwiftletPostgres

/// Says who may see, change and delete which rows, and why.
///
/// The verdict about seeing is the real query, in a transaction that is rolled back; the explanation is each policy's
/// expression, evaluated on the rows as values. Writes are evaluated, and really tried only on request.
package struct AccessTester: Sendable {
    private let database: ConsoleDatabase
    /// Nil where no server runs.
    private let probe: RouteProbe?

    package init(database: Database) { self.init(database: database, probe: nil) }

    init(database: Database, probe: RouteProbe?) { self.init(ConsoleDatabase(database: database), probe) }

    /// Judges what `transaction` has changed and not committed.
    package init(within transaction: Transaction) { self.init(ConsoleDatabase(within: transaction), nil) }

    private init(_ database: ConsoleDatabase, _ probe: RouteProbe?) {
        self.database = database
        self.probe = probe
    }

    package func answer(_ question: AccessQuestion) async throws -> AccessAnswer {
        do {
            return try await find(question)
        } catch let error as ConsoleError where error.details["sqlstate"]?.string == "57014" {
            throw ConsoleError(
                error.status,
                "SLOW",
                "A policy or a query of \(question.table) takes longer than two seconds and was stopped."
            )
        }
    }

    private func find(_ question: AccessQuestion) async throws -> AccessAnswer {
        // The rows are read as the server, so that what is hidden can be shown too.
        let (table, identity, policies, examined) = try await database.read(timeout: AccessQuestion.timeout) {
            transaction in
            let table = try await ConsoleTable.find(question.schema, question.table, in: transaction)
            let identity = try await Identity.find(question.who, in: transaction)
            let policies = try await PolicySet.find(table, identity.role, in: transaction)
            return (table, identity, policies, try await AccessSample.keys(table, question, in: transaction))
        }
        let isCut = examined.count > AccessQuestion.examinedRows
        let keys = Array(examined.prefix(AccessQuestion.examinedRows))
        let trial = AccessTrial(database: database, table: table, identity: identity, policies: policies)
        let seen = try await trial.visible(keys)
        let chosen = AccessSample.choose(
            keys,
            seen: seen,
            limit: min(max(question.limit, 1), AccessQuestion.maximumRows)
        )
        let sample = try await database.read(timeout: AccessQuestion.timeout) { transaction in
            try await AccessSample.rows(table, question, chosen, in: transaction)
        }
        let evaluation = try await PolicyEvaluation.of(
            policies,
            on: sample.map(\.text),
            of: table,
            as: identity,
            database
        )
        let routes = probe?.routes(of: table) ?? []
        var rows: [RowVerdict] = []
        for (index, row) in sample.enumerated() {
            let values = evaluation.values[index]
            var verdicts: [PolicySet.Action: Verdict] = [:]
            for action in [PolicySet.Action.select, .update, .delete] {
                var verdict = Verdict(policies.explain(action, values))
                verdict.text += evaluation.reasons(verdict, row, table)
                if action == .select {
                    if let seen { verdict.settle(seen.contains(row.key)) }
                } else if question.tries, !table.key.isEmpty {
                    let outcome = try await trial.attempt(action, row.keyValues)
                    verdict.settle(outcome.isAllowed, said: outcome.message)
                }
                verdicts[action] = verdict
            }
            let isAsked = index < AccessQuestion.probedRows
            let functions = isAsked ? try await probe?.answers(routes, table, row, identity) ?? [] : []
            rows.append(RowVerdict(row: row, verdicts: verdicts, using: values.using, functions: functions))
        }
        var insert: Verdict?
        if let row = question.insert { insert = try await trial.insertion(of: row, really: question.tries) }
        return AccessAnswer(
            role: identity.role,
            claims: identity.claims,
            table: table,
            policies: policies,
            seen: seen?.count,
            examined: table.key.isEmpty ? sample.count : keys.count,
            isCut: isCut,
            rows: rows,
            routes: routes,
            insert: insert
        )
    }
}
