import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// What each policy's own expressions say of each row, evaluated as the role. The table is not read.
struct PolicyEvaluation {
    let values: [PolicySet.Values]
    private let policies: [PolicySet.Policy]
    /// What the functions without arguments in the policies say of the caller, by their text.
    private let caller: [String: String?]

    static func of(
        _ set: PolicySet,
        on rows: [String],
        of table: ConsoleTable,
        as identity: Identity,
        _ database: ConsoleDatabase
    ) async throws -> PolicyEvaluation {
        let policies = set.policies
        guard set.isActive, !policies.isEmpty, !rows.isEmpty else {
            let nothing = PolicySet.Values(using: policies.map { _ in nil }, checks: policies.map { _ in nil })
            return PolicyEvaluation(values: rows.map { _ in nothing }, policies: policies, caller: [:])
        }
        let statement = statement(policies, rows, table)
        let terms = Set(policies.flatMap { Self.terms(in: "\($0.using ?? "") \($0.check ?? "")") }).sorted()
        let (found, said) = try await database.rollingBack(timeout: AccessQuestion.timeout) { transaction in
            try await identity.assume(in: transaction)
            return (try await transaction.run(statement), try await say(terms, transaction))
        }
        let values = try found.map { row in
            let all = try JSONParser.parse(Array((row["answer"] ?? "[]").utf8)).array ?? []
            let flags = (0..<policies.count * 2).map { all.indices.contains($0) ? all[$0].bool : nil }
            return PolicySet.Values(
                using: policies.indices.map { flags[2 * $0] },
                checks: policies.indices.map { flags[2 * $0 + 1] }
            )
        }
        guard values.count == rows.count else { throw ConsoleError(500, "INTERNAL", "The policies gave no answer.") }
        return PolicyEvaluation(values: values, policies: policies, caller: said)
    }

    /// The values that a policy has compared, for a sentence that a policy decides; empty for others.
    func reasons(_ verdict: Verdict, _ row: AccessSample.Row, _ table: ConsoleTable) -> String {
        guard !verdict.isAllowed, let index = verdict.policy else { return "" }
        let text = "\(policies[index].using ?? "") \(policies[index].check ?? "")"
        let words = Set(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        var parts: [String] = []
        for (column, cell) in zip(table.columns, row.cells) where words.contains(column.name) {
            parts.append("\(column.name) is \(Self.shown(cell))")
        }
        for term in Self.terms(in: text).prefix(3) {
            if let value = caller[term] { parts.append("\(term) says \(Self.shown(value))") }
        }
        return parts.isEmpty ? "" : " (\(parts.prefix(5).joined(separator: ", ")))"
    }

    private static func shown(_ value: String?) -> String {
        guard let value else { return "null" }
        return value.isEmpty ? "empty" : String(value.prefix(60))
    }

    /// Without WITH CHECK, USING counts for new rows too (PostgreSQL, CREATE POLICY).
    private static func statement(
        _ policies: [PolicySet.Policy],
        _ rows: [String],
        _ table: ConsoleTable
    ) -> StatementBuilder {
        var builder = StatementBuilder("SELECT to_json(ARRAY[")
        builder.list(policies) { builder, policy in
            builder.add("(")
            builder.add(trusted: policy.using ?? "NULL")
            builder.add(")::boolean, (")
            builder.add(trusted: policy.check ?? policy.using ?? "NULL")
            builder.add(")::boolean")
        }
        builder.add("]) AS answer FROM (SELECT (u.r::")
        table.add(to: &builder)
        builder.add(").*, u.n AS swiftlet_position FROM unnest(")
        builder.bind(rows)
        builder.add("::text[]) WITH ORDINALITY u (r, n)) AS ")
        builder.add(name: table.name)
        builder.add(" ORDER BY swiftlet_position")
        return builder
    }

    private static let maximumTerms = 20

    /// Calls without arguments, such as `auth.uid()`, and members of the claims.
    private static func terms(in text: String) -> [String] {
        let pattern =
            #/(?:auth\.)?jwt\(\)(?:\s*->>?\s*'[^']*'(?:::text)?)+|(?:[a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*\(\)/#
        var terms: [String] = []
        for match in text.matches(of: pattern) where !terms.contains(String(match.output)) {
            terms.append(String(match.output))
        }
        return terms
    }

    private static func say(_ terms: [String], _ transaction: Transaction) async throws -> [String: String?] {
        let terms = Array(terms.prefix(maximumTerms))
        guard !terms.isEmpty else { return [:] }
        var builder = StatementBuilder("SELECT to_json(ARRAY[")
        builder.list(terms) { builder, term in
            builder.add("(")
            builder.add(trusted: term)
            builder.add(")::text")
        }
        builder.add("]) AS answer")
        let text = try await transaction.json(builder)
        let values = (try JSONParser.parse(Array(text.utf8)).array ?? []).map(\.string)
        return Dictionary(zip(terms, values)) { first, _ in first }
    }
}
