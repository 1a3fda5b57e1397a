import SwiftletPostgres
import SwiftletSignIn

/// Checks that the functions which `HOOK_…` names exist, and that the server may call them, but clients may not.
struct HookExamination: Sendable {
    private let functions: [(point: String, schema: String, name: String)]

    init(_ hooks: HookSettings) {
        functions = hooks.points.compactMap { point, hook in
            guard case .function(let schema, let name) = hook else { return nil }
            return (point.rawValue, schema, name)
        }
        .sorted { $0.point < $1.point }
    }

    func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        var findings: [Finding] = []
        for function in functions {
            let rows = try connection.query(
                """
                SELECT has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE'),
                    EXISTS (
                        SELECT FROM pg_roles AS r WHERE rolname IN ('anon', 'authenticated')
                            AND has_schema_privilege(r.oid, n.oid, 'USAGE')
                            AND has_function_privilege(r.oid, p.oid, 'EXECUTE')
                    ), current_user
                FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                WHERE n.nspname = $1 AND p.proname = $2
                    AND p.pronargs = 1 AND p.proargtypes[0] IN ('json'::regtype, 'jsonb'::regtype)
                """,
                [function.schema, function.name]
            )
            findings.append(finding("\(function.schema).\(function.name)", function.point, rows.first))
        }
        return findings
    }

    private func finding(_ name: String, _ point: String, _ row: [String?]?) -> Finding {
        guard let row, row.count == 3 else {
            let loss = point.hasPrefix("send-") ? "nothing is sent" : "nobody gets in"
            return .fault("hooks", "\(point): there is no function \(name)(jsonb), so \(loss): create it")
        }
        guard row[0] == "t" else {
            let role = row[2] ?? "the server's role"
            return .fault("hooks", "\(point): GRANT EXECUTE ON FUNCTION \(name) TO \(role), and USAGE of its schema")
        }
        guard row[1] != "t" else {
            let remedy = "REVOKE EXECUTE ON FUNCTION \(name) FROM PUBLIC, anon, authenticated"
            return .note("hooks", "\(point): clients may call \(name) as well: \(remedy)")
        }
        return .good("hooks", "\(point): \(name)")
    }
}
