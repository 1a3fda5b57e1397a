import SwiftletPostgres
import Synchronization

/// The tables and what roles may see of them. Each is read again when the table, its columns' rights or its policies
/// have changed, which one query finds out for all tables of a batch.
final class VisibleTables: Sendable {
    private struct Contents {
        var tables: [UInt32: TableFacts] = [:]
        var roles: [RoleKey: (facts: RoleFacts, readAt: ContinuousClock.Instant)] = [:]
    }

    private struct RoleKey: Hashable {
        let relation: UInt32
        let version: String
        let role: String
    }

    /// Memberships of roles are not noticed otherwise.
    private static let roleAge = Duration.seconds(30)

    private let database: Database
    private let contents = Mutex(Contents())

    init(_ database: Database) { self.database = database }

    /// The tables as they are now; those that are gone are missing.
    func tables(_ relations: Set<UInt32>) async throws(PostgresError) -> [UInt32: TableFacts] {
        guard !relations.isEmpty else { return [:] }
        let numbers = relations.map { Int($0) }
        let versions = try await database.query(
            """
            SELECT table_.oid, concat_ws(' ', table_.xmin, table_.relrowsecurity, table_.relforcerowsecurity,
                (SELECT string_agg(policy.oid::text || ':' || policy.xmin::text, ',' ORDER BY policy.oid)
                    FROM pg_catalog.pg_policy AS policy WHERE policy.polrelid = table_.oid),
                (SELECT string_agg(attribute.xmin::text, ',' ORDER BY attribute.attnum)
                    FROM pg_catalog.pg_attribute AS attribute
                    WHERE attribute.attrelid = table_.oid AND attribute.attnum > 0),
                (SELECT string_agg(function.oid::text || ':' || function.xmin::text, ',' ORDER BY function.oid)
                    FROM pg_catalog.pg_proc AS function JOIN pg_catalog.pg_namespace AS schema_
                        ON schema_.oid = function.pronamespace
                    WHERE schema_.nspname = 'auth' AND function.proname IN ('uid', 'role', 'jwt'))) AS version
            FROM pg_catalog.pg_class AS table_ WHERE table_.oid = ANY(\(numbers)::oid[])
            """
        )
        let known = contents.withLock(\.tables)
        var found: [UInt32: TableFacts] = [:]
        for row in versions {
            guard let oid = row["oid"].flatMap({ UInt32($0) }), let version = row["version"] else { continue }
            if let facts = known[oid], facts.version == version {
                found[oid] = facts
            } else if let facts = try await read(oid, version) {
                found[oid] = facts
            }
        }
        let current = found
        contents.withLock { contents in
            contents.tables.merge(current) { $1 }
            for relation in relations where current[relation] == nil { contents.tables[relation] = nil }
        }
        return found
    }

    /// The table of a name; nil when there is none.
    func table(_ schema: String, _ name: String) async throws(PostgresError) -> TableFacts? {
        let rows = try await database.query(
            """
            SELECT table_.oid FROM pg_catalog.pg_class AS table_
            JOIN pg_catalog.pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
            WHERE schema_.nspname = \(schema) AND table_.relname = \(name) AND table_.relkind IN ('r', 'p')
            """
        )
        guard let oid = rows.first?["oid"].flatMap({ UInt32($0) }) else { return nil }
        return try await tables([oid])[oid]
    }

    private func read(_ relation: UInt32, _ version: String) async throws(PostgresError) -> TableFacts? {
        let number = Int(relation)
        let rows = try await database.query(
            """
            SELECT schema_.nspname, table_.relname, attribute.attname, type_.typname,
                attribute.atttypid, attribute.atttypmod, attribute.attcollation,
                coalesce(attribute.attnum = ANY(key.indkey), false) AS is_key
            FROM pg_catalog.pg_class AS table_
            JOIN pg_catalog.pg_namespace AS schema_ ON schema_.oid = table_.relnamespace
            JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = table_.oid AND attribute.attnum > 0
                AND NOT attribute.attisdropped
            JOIN pg_catalog.pg_type AS type_ ON type_.oid = attribute.atttypid
            LEFT JOIN pg_catalog.pg_index AS key ON key.indrelid = table_.oid AND key.indisprimary
            WHERE table_.oid = \(number)::oid ORDER BY attribute.attnum
            """
        )
        guard let first = rows.first, let schema = first["nspname"], let name = first["relname"] else { return nil }
        let columns = rows.map { row in
            TableFacts.Column(
                name: row["attname"] ?? "",
                type: row["typname"] ?? "",
                isKey: row["is_key"] == "t",
                policyType: PolicyType(
                    type: row["atttypid"],
                    modifier: row["atttypmod"],
                    collation: row["attcollation"]
                )
            )
        }
        return TableFacts(relation: relation, schema: schema, name: name, columns: columns, version: version)
    }

    /// What the role may see. A role that cannot be taken sees nothing.
    func facts(of role: String, on table: TableFacts) async throws(PostgresError) -> RoleFacts {
        let key = RoleKey(relation: table.relation, version: table.version, role: role)
        if let known = contents.withLock({ $0.roles[key] }), known.readAt + Self.roleAge > .now { return known.facts }
        let facts = try await read(role, table)
        contents.withLock { contents in
            if contents.roles.count > 10_000 { contents.roles = [:] }
            contents.roles[key] = (facts, .now)
        }
        return facts
    }

    private func read(_ role: String, _ table: TableFacts) async throws(PostgresError) -> RoleFacts {
        var parameters = Parameters()
        parameters.append(Int(table.relation))
        let boxes: [RowsBox]
        do throws(PostgresError) {
            boxes = try await database.runIsolated([
                RoleSettings.call(role: role, claims: Array("{}".utf8), searchPath: RoleSettings.reading),
                StatementCall(Self.rights, parameters), StatementCall(Self.policies, parameters),
                StatementCall(PolicyFunction.statement, .none),
            ])
        } catch  where error.kind == .server {
            return .nothing
        }
        guard boxes.count == 4 else { throw .connectionLostAfterSending }
        let rights = try boxes[1].take()
        let policies = try boxes[2].take()
        var columns: Set<String> = []
        for row in 0..<rights.count {
            if let name = rights.text(row, 1) { columns.insert(name) }
        }
        var permissive: [String] = []
        var restrictive: [String] = []
        for row in 0..<policies.count {
            guard let condition = policies.text(row, 1) else { continue }
            if policies.text(row, 0) == "t" { permissive.append(condition) } else { restrictive.append(condition) }
        }
        let any = permissive.map { "(\($0))" }.joined(separator: " OR ")
        let all = (["(\(any))"] + restrictive.map { "(\($0))" }).joined(separator: " AND ")
        let condition = permissive.isEmpty ? nil : all
        let functions = PolicyFunction.known(try boxes[3].take())
        return RoleFacts(
            columns: columns,
            isSecured: rights.text(0, 0) != "f",
            condition: condition,
            compiled: functions.flatMap { functions in
                condition.flatMap { PolicyParser.parse($0, table, functions) }
            },
            readColumns: condition.map { ReadColumns(table, $0) } ?? ReadColumns()
        )
    }

    private static let rights = Statement(
        """
        SELECT row_security_active(table_.oid), attribute.attname
        FROM pg_catalog.pg_class AS table_
        JOIN pg_catalog.pg_attribute AS attribute ON attribute.attrelid = table_.oid AND attribute.attnum > 0
            AND NOT attribute.attisdropped
        WHERE table_.oid = $1::bigint::oid AND has_schema_privilege(table_.relnamespace, 'USAGE')
            AND has_column_privilege(table_.oid, attribute.attnum, 'SELECT')
        """,
        isReadOnly: true
    )

    private static let policies = Statement(
        """
        SELECT polpermissive, pg_get_expr(polqual, polrelid) FROM pg_catalog.pg_policy
        WHERE polrelid = $1::bigint::oid AND polcmd IN ('r', '*') AND polqual IS NOT NULL
            AND (polroles = '{0}' OR EXISTS (
                SELECT 1 FROM unnest(polroles) AS named (role) WHERE pg_has_role(current_user, named.role, 'USAGE')
            ))
        """,
        isReadOnly: true
    )
}

/// The beginning of a transaction in a caller's name.
enum RoleSettings {
    /// To read the text of policies, in which all names but PostgreSQL's own come qualified.
    static let reading = "pg_catalog"
    /// To run it: functions that it calls find others as in requests. PostgreSQL's own come first under both.
    static let running = "public, extensions"

    static func call(role: String, claims: [UInt8], searchPath: String) -> StatementCall {
        var parameters = Parameters()
        parameters.append(role)
        parameters.append(utf8: claims.span)
        parameters.append(searchPath)
        return StatementCall(statement, parameters)
    }

    private static let statement = Statement(
        """
        SELECT set_config('search_path', $3, true), set_config('role', $1, true),
            set_config('request.jwt.claims', $2, true), set_config('transaction_read_only', 'on', true)
        """,
        isReadOnly: true
    )
}
