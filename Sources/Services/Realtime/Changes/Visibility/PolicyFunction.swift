import SwiftletPostgres

/// The functions of `auth` that policies ask who is there with.
enum PolicyFunction: String, Sendable, CaseIterable {
    case uid, role, jwt

    /// Those that the caller may run, and that do what ours or Supabase's do: a project may have made its own. nil where
    /// operators, casts or settings of its own may change what conditions say.
    static func known(_ rows: borrowing Rows) -> Set<PolicyFunction>? {
        var known: Set<PolicyFunction> = []
        var isPlain = false
        for row in 0..<rows.count {
            guard let name = rows.text(row, 0), let body = rows.text(row, 1) else { continue }
            if name.isEmpty { isPlain = true }
            guard let function = PolicyFunction(rawValue: name),
                function.bodies.contains(body.filter { !$0.isWhitespace })
            else { continue }
            known.insert(function)
        }
        return isPlain ? known : nil
    }

    /// Without spaces, in both spellings of the word.
    private var bodies: [String] {
        let claims = "nullif(current_setting('request.jwt.claims',true),'')"
        func texts(_ name: String, _ end: String) -> [String] {
            let own = "coalesce(nullif(current_setting('request.jwt.claim.\(name)',true),''),"
            return ["\(own)\(claims)::jsonb->>'\(name)')\(end)", "\(own)(\(claims)::jsonb->>'\(name)'))\(end)"]
        }
        let expressions =
            switch self {
            case .uid: texts("sub", "::uuid")
            case .role: texts("role", "") + texts("role", "::text")
            case .jwt:
                [
                    "\(claims)::jsonb",
                    "coalesce(nullif(current_setting('request.jwt.claim',true),''),\(claims))::jsonb",
                ]
            }
        return expressions.flatMap { ["select\($0)", "SELECT\($0)"] }
    }

    /// A row without a name where nothing is out of the ordinary; the functions.
    static let statement = Statement(
        """
        SELECT '' AS name, '' AS body
        WHERE NOT EXISTS (
                SELECT FROM pg_catalog.pg_operator
                WHERE oprname IN ('->', '->>', '=', '<>') AND oprnamespace <> 'pg_catalog'::regnamespace
                    AND (oprleft IN ('jsonb'::regtype, 'text'::regtype, 'uuid'::regtype, 'boolean'::regtype,
                        'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype))
            )
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_cast WHERE oid >= 16384
                    AND castsource < 16384 AND casttarget IN ('text'::regtype, 'uuid'::regtype, 'boolean'::regtype,
                        'smallint'::regtype, 'integer'::regtype, 'bigint'::regtype, 'varchar'::regtype)
            )
            AND nullif(current_setting('request.jwt.claim', true), '') IS NULL
            AND nullif(current_setting('request.jwt.claim.sub', true), '') IS NULL
            AND nullif(current_setting('request.jwt.claim.role', true), '') IS NULL
        UNION ALL
        SELECT function.proname::text, function.prosrc
        FROM pg_catalog.pg_proc AS function
        JOIN pg_catalog.pg_namespace AS schema_ ON schema_.oid = function.pronamespace
        JOIN pg_catalog.pg_language AS language ON language.oid = function.prolang
        WHERE schema_.nspname = 'auth' AND function.proname IN ('uid', 'role', 'jwt') AND function.pronargs = 0
            AND language.lanname = 'sql' AND function.prokind = 'f' AND function.provolatile = 's'
            AND NOT function.prosecdef AND NOT function.proretset AND function.proconfig IS NULL
            AND function.prorettype = CASE function.proname
                WHEN 'uid' THEN 'uuid'::regtype WHEN 'role' THEN 'text'::regtype ELSE 'jsonb'::regtype END
            AND has_schema_privilege(schema_.oid, 'USAGE') AND has_function_privilege(function.oid, 'EXECUTE')
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_proc AS other WHERE other.pronamespace = function.pronamespace
                    AND other.proname = function.proname AND other.oid <> function.oid
            )
        """,
        isReadOnly: true
    )
}
