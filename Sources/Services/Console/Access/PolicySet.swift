import SwiftletJSON
import SwiftletPostgres

/// What stands between a role and the rows of a table: grants, and policies that apply to the role.
struct PolicySet {
    enum Action: String, CaseIterable { case select, insert, update, delete }

    struct Policy {
        let name: String
        let isPermissive: Bool
        /// `select`, `insert`, `update`, `delete` or `all`.
        let command: String
        let using: String?
        let check: String?

        var json: JSONValue {
            [
                "name": .string(name), "permissive": .bool(isPermissive), "command": .string(command),
                "using": using.map { .string($0) } ?? .null, "check": check.map { .string($0) } ?? .null,
            ]
        }

        func applies(to action: Action) -> Bool { command == "all" || command == action.rawValue }
    }

    let role: String
    let policies: [Policy]
    /// Row level security is on, and the role is not exempt.
    let isActive: Bool
    /// The role passes by all policies: it is a superuser, has BYPASSRLS, or owns the table.
    let isExempt: Bool
    let granted: [Action: Bool]
    let hasUsage: Bool
    /// Columns that the role may change.
    let updatable: Set<String>

    /// One entry per policy. nil is SQL's NULL, which counts as false, or where nothing was evaluated.
    struct Values {
        let using: [Bool?]
        let checks: [Bool?]
    }

    struct Explanation {
        let isAllowed: Bool
        let text: String
        /// The policy that decides.
        let policy: Int?
    }

    /// Throws ``ConsoleError`` for a role that does not exist.
    static func find(_ table: ConsoleTable, _ role: String, in transaction: Transaction) async throws -> PolicySet {
        let rows = try await transaction.query(
            """
            SELECT json_build_object(
                'active', c.relrowsecurity AND NOT r.rolbypassrls AND NOT r.rolsuper
                    AND (c.relforcerowsecurity OR NOT pg_has_role(r.oid, c.relowner, 'USAGE')),
                'exempt', r.rolbypassrls OR r.rolsuper
                    OR (NOT c.relforcerowsecurity AND pg_has_role(r.oid, c.relowner, 'USAGE')),
                'updatable', (SELECT coalesce(json_agg(a.attname), '[]') FROM pg_attribute a WHERE a.attrelid = c.oid
                    AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(r.oid, c.oid, a.attnum, 'UPDATE')),
                'usage', has_schema_privilege(r.oid, n.oid, 'USAGE'),
                'select', has_any_column_privilege(r.oid, c.oid, 'SELECT'),
                'insert', has_any_column_privilege(r.oid, c.oid, 'INSERT'),
                'update', has_any_column_privilege(r.oid, c.oid, 'UPDATE'),
                'delete', has_table_privilege(r.oid, c.oid, 'DELETE'),
                'policies', (SELECT coalesce(json_agg(json_build_object('name', p.polname, 'permissive', p.polpermissive,
                    'command', CASE p.polcmd WHEN 'r' THEN 'select' WHEN 'a' THEN 'insert' WHEN 'w' THEN 'update'
                        WHEN 'd' THEN 'delete' ELSE 'all' END,
                    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
                    ORDER BY p.polname), '[]')
                    FROM pg_policy p WHERE p.polrelid = c.oid AND (p.polroles = '{0}'
                        OR EXISTS (SELECT FROM unnest(p.polroles) u WHERE u <> 0 AND pg_has_role(r.oid, u, 'USAGE'))))
                )::text AS answer
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, pg_roles r
            WHERE n.nspname = \(table.schema) AND c.relname = \(table.name) AND r.rolname = \(role)
            """
        )
        guard let text = rows.first?["answer"] else { throw ConsoleError.bad("There is no role \(role).") }
        let json = try JSONParser.parse(Array(text.utf8))
        var granted: [Action: Bool] = [:]
        for action in Action.allCases { granted[action] = json[action.rawValue]?.bool ?? false }
        return PolicySet(
            role: role,
            policies: (json["policies"]?.array ?? []).map { policy in
                Policy(
                    name: policy["name"]?.string ?? "",
                    isPermissive: policy["permissive"]?.bool ?? true,
                    command: policy["command"]?.string ?? "all",
                    using: policy["using"]?.string,
                    check: policy["check"]?.string
                )
            },
            isActive: json["active"]?.bool ?? false,
            isExempt: json["exempt"]?.bool ?? false,
            granted: granted,
            hasUsage: json["usage"]?.bool ?? false,
            updatable: Set((json["updatable"]?.array ?? []).compactMap(\.string))
        )
    }

    /// Whether an action goes through, and in one sentence why: grants come first, then restrictive policies, then those
    /// of which one suffices.
    func explain(_ action: Action, _ values: Values) -> Explanation {
        func refused(_ text: String, _ policy: Int? = nil) -> Explanation {
            Explanation(isAllowed: false, text: text, policy: policy)
        }
        if !hasUsage { return refused("refused: no GRANT of USAGE on the schema to \(role)") }
        if granted[action] != true { return refused("refused: no GRANT of \(action.rawValue.uppercased()) to \(role)") }
        if isExempt { return Explanation(isAllowed: true, text: "\(role) passes by row level security", policy: nil) }
        guard isActive else {
            return Explanation(isAllowed: true, text: "the table has no row level security", policy: nil)
        }
        var phases: [(values: [Bool?], action: Action, clause: String)] = []
        switch action {
        case .select: phases = [(values.using, .select, "USING")]
        case .insert: phases = [(values.checks, .insert, "WITH CHECK")]
        // What is to be found has to be seen.
        case .update:
            phases = [
                (values.using, .select, "USING"), (values.using, .update, "USING"),
                (values.checks, .update, "WITH CHECK"),
            ]
        case .delete: phases = [(values.using, .select, "USING"), (values.using, .delete, "USING")]
        }
        let word = action == .select ? "hidden" : "refused"
        var deciding: Int?
        for phase in phases {
            let applying = policies.indices.filter { policies[$0].applies(to: phase.action) }
            let permissive = applying.filter { policies[$0].isPermissive }
            if permissive.isEmpty {
                return refused("\(word): no permissive policy for \(phase.action.rawValue.uppercased())")
            }
            if let refusing = applying.first(where: { !policies[$0].isPermissive && phase.values[$0] != true }) {
                let name = policies[refusing].name
                return refused("\(word): restrictive policy \(name) is false (\(phase.clause))", refusing)
            }
            guard let letting = permissive.first(where: { phase.values[$0] == true }) else {
                let names = permissive.map { policies[$0].name }
                let text = names.count == 1 ? "policy \(names[0]) is" : "policies \(names.joined(separator: ", ")) are"
                return refused("\(word): permissive \(text) false (\(phase.clause))", permissive.first)
            }
            deciding = letting
        }
        let name = deciding.map { policies[$0].name } ?? ""
        return Explanation(isAllowed: true, text: "allowed by policy \(name)", policy: deciding)
    }
}
