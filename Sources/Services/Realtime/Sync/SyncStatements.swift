import SwiftletJSON
import SwiftletPostgres
import Synchronization

/// Statements on the rows of tables that apps keep copies of. Names come from the catalogs; rows, keys and values are
/// JSON parameters, which PostgreSQL reads as those of the table.
final class SyncStatements: Sendable {
    private let known = Mutex<[String: Statement]>([:])

    private func statement(_ text: String, isReadOnly: Bool) -> Statement {
        known.withLock { known in
            if let statement = known[text] { return statement }
            if known.count > 500 { known = [:] }
            let statement = Statement(text, isReadOnly: isReadOnly)
            known[text] = statement
            return statement
        }
    }

    // MARK: - Reading

    /// Numbers, from 1, of the keys in `$1` whose rows the caller sees, with the rows as JSON. Behind `$2` bytes of them
    /// rows are NULL.
    func rows(of table: TableFacts, _ columns: [String]) -> Statement {
        let name = Self.name(table)
        let keys = table.keys.map(\.quotedIdentifier)
        let matches = keys.map { "\"the row\".\($0) = (wanted.key).\($0)" }.joined(separator: " AND ")
        let text = """
            SELECT found.number, CASE WHEN found.before < $2::bigint THEN found.content END FROM (
                SELECT sized.number, sized.content,
                    sum(octet_length(sized.content)) OVER (ORDER BY sized.number) - octet_length(sized.content) AS before
                FROM (
                    SELECT wanted.number, \(Self.content(columns)) AS content
                    FROM (
                        SELECT given.number, json_populate_record(NULL::\(name), given.key) AS key
                        FROM json_array_elements($1::json) WITH ORDINALITY AS given (key, number)
                    ) AS wanted
                    JOIN \(name) AS "the row" ON \(matches)
                ) AS sized
            ) AS found ORDER BY found.number
            """
        return statement(text, isReadOnly: true)
    }

    /// At most `$2` rows in the order of their keys, behind the key `$1` if there is one, until they have `$3` bytes;
    /// with the key of each.
    func page(of table: TableFacts, _ columns: [String], isFirst: Bool) -> Statement {
        let name = Self.name(table)
        let keys = table.keys.map { "\"the row\".\($0.quotedIdentifier)" }.joined(separator: ", ")
        let last = table.keys.map { "(last.key).\($0.quotedIdentifier)" }.joined(separator: ", ")
        let condition =
            isFirst
            ? "$1::json IS NULL"
            : """
            (\(keys)) > (SELECT \(last) FROM (SELECT json_populate_record(NULL::\(name), $1::json) AS key OFFSET 0) AS last)
            """
        let text = """
            SELECT CASE WHEN found.before < $3::bigint THEN found.content END,
                CASE WHEN found.before < $3::bigint THEN found.key END
            FROM (
                SELECT sized.number, sized.content, sized.key,
                    sum(octet_length(sized.content)) OVER (ORDER BY sized.number) - octet_length(sized.content) AS before
                FROM (
                    SELECT \(Self.content(columns)) AS content, \(Self.content(table.keys)) AS key,
                        row_number() OVER (ORDER BY \(keys)) AS number
                    FROM \(name) AS "the row" WHERE \(condition) ORDER BY \(keys) LIMIT $2::integer
                ) AS sized
            ) AS found ORDER BY found.number
            """
        return statement(text, isReadOnly: true)
    }

    func images(of table: TableFacts, _ condition: String) -> Statement {
        statement(VisibilityQuery.text(table, condition), isReadOnly: true)
    }

    private static func content(_ columns: [String]) -> String {
        let list = columns.map { "\"the row\".\($0.quotedIdentifier)" }.joined(separator: ", ")
        return "(SELECT row_to_json(shown)::text FROM (SELECT \(list)) AS shown)"
    }

    // MARK: - Writing

    func insert(into table: TableFacts, _ columns: [String]) -> Statement {
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        let values = columns.map { "given.\($0.quotedIdentifier)" }.joined(separator: ", ")
        let text = """
            INSERT INTO \(Self.name(table)) (\(list))
            SELECT \(values) FROM json_populate_record(NULL::\(Self.name(table)), $1::json) AS given
            """
        return statement(text, isReadOnly: false)
    }

    /// Sets columns to those of `$2` in the row of the key `$1`, if the other columns are as in `$3`.
    func update(_ table: TableFacts, _ columns: [String], expecting expected: [String]) -> Statement {
        let name = Self.name(table)
        let list = columns.map { "\($0.quotedIdentifier) = given.\($0.quotedIdentifier)" }.joined(separator: ", ")
        let text = """
            UPDATE \(name) AS "the row" SET \(list)
            FROM json_populate_record(NULL::\(name), $1::json) AS wanted,
                json_populate_record(NULL::\(name), $2::json) AS given,
                json_populate_record(NULL::\(name), $3::json) AS expected
            WHERE \(Self.matches(table, expected))
            """
        return statement(text, isReadOnly: false)
    }

    func delete(from table: TableFacts, expecting expected: [String]) -> Statement {
        let name = Self.name(table)
        let text = """
            DELETE FROM \(name) AS "the row"
            USING json_populate_record(NULL::\(name), $1::json) AS wanted,
                json_populate_record(NULL::\(name), $2::json) AS expected
            WHERE \(Self.matches(table, expected))
            """
        return statement(text, isReadOnly: false)
    }

    /// Types without equality, such as json, are compared as jsonb.
    private static func matches(_ table: TableFacts, _ expected: [String]) -> String {
        let keys = table.keys.map(\.quotedIdentifier).map { "\"the row\".\($0) = wanted.\($0)" }
        let others = expected.map(\.quotedIdentifier).map {
            "to_jsonb(\"the row\".\($0)) IS NOT DISTINCT FROM to_jsonb(expected.\($0))"
        }
        return (keys + others).joined(separator: " AND ")
    }

    private static func name(_ table: TableFacts) -> String {
        "\(table.schema.quotedIdentifier).\(table.name.quotedIdentifier)"
    }

    // MARK: - The caller

    /// From here on the transaction is the caller's. Names of functions in policies are found as by `/rest/v1`.
    static func become(_ caller: SyncCaller) -> (Statement, Parameters) {
        var parameters = Parameters()
        parameters.append(utf8: caller.claims.span)
        parameters.append(caller.id)
        parameters.append(caller.role)
        return (becomeCaller, parameters)
    }

    private static let becomeCaller = Statement(
        """
        SELECT set_config('search_path', 'public, extensions', true), set_config('request.jwt.claims', $1, true),
            set_config('request.jwt.claim.sub', $2, true), set_config('request.jwt.claim.role', $3, true),
            set_config('request.headers', '{}', true), set_config('role', $3, true)
        """,
        isReadOnly: false
    )

    static let becomeServer = Statement("SELECT set_config('role', 'none', true)", isReadOnly: false)
}

/// Whose copy it is.
struct SyncCaller: Sendable {
    let id: String
    let role: String
    let claims: [UInt8]
    /// See ``ChangeCaller``.
    let change: ChangeCaller
}
