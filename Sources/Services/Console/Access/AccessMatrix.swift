import SwiftletJSON
package import SwiftletPostgres

/// Grants and policies of all tables of apps, by role.
package enum AccessMatrix {
    package static let roles = ["anon", "authenticated", "service_role"]

    package struct TableRow: Sendable {
        package let table: String
        /// One text per role, a letter per action: `S` for all rows, `s` for those of a policy, `!` for none, `-` for no
        /// grant.
        package let letters: [String]
        package let policies: [String]
    }

    package static func read(_ database: Database) async throws -> [TableRow] {
        let text = try await ConsoleDatabase(database: database).read { try await $0.json(statement) }
        let entries = try JSONParser.parse(Array(text.utf8)).array ?? []
        var order: [String] = []
        var byTable: [String: [String: JSONValue]] = [:]
        for entry in entries {
            let name = "\(entry["schema"]?.string ?? "").\(entry["name"]?.string ?? "")"
            if byTable[name] == nil { order.append(name) }
            byTable[name, default: [:]][entry["role"]?.string ?? ""] = entry
        }
        return order.map { name in
            let entries = byTable[name] ?? [:]
            let policies = Set(
                entries.values.flatMap { ($0["policies"]?.array ?? []).compactMap { $0["name"]?.string } }
            )
            return TableRow(
                table: name.hasPrefix("public.") ? String(name.dropFirst(7)) : name,
                letters: roles.map { letters(entries[$0]) },
                policies: policies.sorted()
            )
        }
    }

    private static func letters(_ entry: JSONValue?) -> String {
        guard let entry else { return "----" }
        return [("select", "S"), ("insert", "I"), ("update", "U"), ("delete", "D")].map { action, letter in
            guard entry[action]?.bool == true else { return "-" }
            if entry["rls"]?.bool != true || entry["bypasses"]?.bool == true { return letter }
            let isAllowed = (entry["policies"]?.array ?? []).contains { policy in
                policy["permissive"]?.bool == true && ["all", action].contains(policy["command"]?.string)
            }
            return isAllowed ? letter.lowercased() : "!"
        }
        .joined()
    }

    static let statement: SQL = """
        SELECT coalesce(json_agg(t ORDER BY t.schema, t.name, t.role), '[]') FROM (
            SELECT n.nspname AS schema, c.relname AS name, r.rolname AS role, c.relrowsecurity AS rls,
                has_any_column_privilege(r.oid, c.oid, 'SELECT') AS select,
                has_any_column_privilege(r.oid, c.oid, 'INSERT') AS insert,
                has_any_column_privilege(r.oid, c.oid, 'UPDATE') AS update,
                has_table_privilege(r.oid, c.oid, 'DELETE') AS delete,
                r.rolbypassrls AS bypasses,
                (SELECT coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
                    'command', CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update'
                    WHEN 'd' THEN 'delete' ELSE 'all' END)), '[]')
                    FROM pg_policy p WHERE p.polrelid = c.oid AND (p.polroles = '{0}'
                        OR EXISTS (SELECT FROM unnest(p.polroles) u WHERE u <> 0 AND pg_has_role(r.oid, u, 'USAGE')))) AS policies
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
            WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT LIKE 'swiftlet\\_%'
                AND r.rolname IN ('anon', 'authenticated', 'service_role')
                AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'auth', 'swiftlet', 'realtime')
                AND n.nspname NOT LIKE 'pg\\_%'
                AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
        ) t
        """
}
