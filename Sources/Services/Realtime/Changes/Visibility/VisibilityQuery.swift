import SwiftletJSON
import SwiftletPostgres
import Synchronization

/// Asks PostgreSQL which images of rows a caller may see: the policies' own conditions, run as the caller over rows that
/// are made of the images. What a row has become since does not matter. Simple conditions are decided on here, once they
/// have given the same answers as PostgreSQL.
final class VisibilityQuery: Sendable {
    /// Images in one statement.
    private static let maximumImages = 200

    private let database: Database
    private let statements = Mutex<[String: Statement]>([:])
    private let trust = PolicyTrust()
    private let onFault: @Sendable (_ table: String, PostgresError) -> Void
    private let onDifference: @Sendable (_ table: String) -> Void

    init(
        _ database: Database,
        onFault: @escaping @Sendable (_ table: String, PostgresError) -> Void,
        onDifference: @escaping @Sendable (_ table: String) -> Void
    ) {
        self.database = database
        self.onFault = onFault
        self.onDifference = onDifference
    }

    /// For each image whether the caller may see it. Where a policy fails, nothing is visible, as it would be in a query.
    func visible(
        _ images: [JSONObject],
        of table: TableFacts,
        _ facts: RoleFacts,
        to caller: ChangeCaller
    ) async throws(PostgresError) -> [Bool] {
        guard let condition = facts.condition else { return images.map { _ in false } }
        guard images.contains(where: { $0.count < table.columns.count }) else {
            return try await decided(images, of: table, facts, condition, to: caller)
        }
        let whole = images.indices.filter { facts.readColumns.areIn(images[$0]) }
        let answers = try await decided(whole.map { images[$0] }, of: table, facts, condition, to: caller)
        var result = images.map { _ in false }
        for (index, isVisible) in zip(whole, answers) { result[index] = isVisible }
        return result
    }

    private func decided(
        _ images: [JSONObject],
        of table: TableFacts,
        _ facts: RoleFacts,
        _ condition: String,
        to caller: ChangeCaller
    ) async throws(PostgresError) -> [Bool] {
        let text = Self.text(table, condition)
        let compiled = facts.compiled.flatMap { trust.admits(text, table) ? $0 : nil }
        guard let compiled, let bound = PolicyClaims(caller.claims).flatMap({ compiled.bound(to: $0) }) else {
            return try await asked(images, table, condition, caller).map { $0 == true }
        }
        let decisions = images.map { bound.admits($0) }
        guard trust.isProven(text, table), decisions.allSatisfy({ $0 != nil }) else {
            let answers = try await asked(images, table, condition, caller)
            let compared = zip(decisions, answers).filter { $0 != nil && $1 != nil }
            if trust.compared(text, table, compared.count, isSame: compared.allSatisfy { $0 == $1 }) {
                onDifference("\(table.schema).\(table.name)")
            }
            return answers.map { $0 == true }
        }
        trust.count(decided: images.count)
        return decisions.map { $0 == true }
    }

    /// Images that were decided on here, and by PostgreSQL.
    var counts: (decided: Int, asked: Int) { trust.counts }

    /// nil where the policy fails, for all images that are asked about together.
    private func asked(
        _ images: [JSONObject],
        _ table: TableFacts,
        _ condition: String,
        _ caller: ChangeCaller
    ) async throws(PostgresError) -> [Bool?] {
        trust.count(asked: images.count)
        var result: [Bool?] = images.map { _ in nil }
        var start = 0
        while start < images.count {
            let end = min(images.count, start + Self.maximumImages)
            if let visible = try await ask(images[start..<end], table, condition, caller) {
                for index in start..<end { result[index] = false }
                for index in visible where index < end - start { result[start + index] = true }
            }
            start = end
        }
        return result
    }

    private func ask(
        _ images: ArraySlice<JSONObject>,
        _ table: TableFacts,
        _ condition: String,
        _ caller: ChangeCaller
    ) async throws(PostgresError) -> [Int]? {
        var json = JSONWriter(minimumCapacity: images.count * 256)
        json.array { json in for image in images { json.write(image) } }
        var parameters = Parameters()
        parameters.append(utf8: json.finish().span)
        do throws(PostgresError) {
            let boxes = try await database.runIsolated([
                RoleSettings.call(role: caller.role, claims: caller.claims, searchPath: RoleSettings.running),
                StatementCall(statement(table, condition), parameters),
            ])
            guard let last = boxes.last else { throw .connectionLostAfterSending }
            let rows = try last.take()
            return (0..<rows.count).compactMap { row in rows.text(row, 0).flatMap { Int($0) }.map { $0 - 1 } }
        } catch  where error.kind == .server && !["08", "53", "57", "58"].contains(error.state.errorClass) {
            onFault("\(table.schema).\(table.name)", error)
            return nil
        }
    }

    private func statement(_ table: TableFacts, _ condition: String) -> Statement {
        let text = Self.text(table, condition)
        return statements.withLock { statements in
            if let statement = statements[text] { return statement }
            if statements.count > 500 { statements = [:] }
            let statement = Statement(text, isReadOnly: true)
            statements[text] = statement
            return statement
        }
    }

    /// Finds the numbers, from 1, of the images in the array `$1` that fulfil the condition.
    static func text(_ table: TableFacts, _ condition: String) -> String {
        let schema = table.schema.quotedIdentifier
        let name = table.name.quotedIdentifier
        // The rows carry the table's name, as conditions may use it; ours are names that no table has.
        return """
            SELECT "swiftlet images"."swiftlet number"
            FROM pg_catalog.json_array_elements($1::json) WITH ORDINALITY
                AS "swiftlet images" ("swiftlet image", "swiftlet number")
            CROSS JOIN LATERAL pg_catalog.json_populate_record(
                NULL::\(schema).\(name), "swiftlet images"."swiftlet image"
            ) AS \(name)
            WHERE \(condition)
            """
    }
}
