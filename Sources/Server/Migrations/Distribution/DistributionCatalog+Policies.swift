import SwiftletPostgres

extension DistributionCatalog {
    /// A policy of a distributed table, written anew without its subqueries.
    struct Policy {
        let name: String
        let table: String
        /// `AS PERMISSIVE FOR ALL TO authenticated`.
        let head: String
        let qualification: String?
        let check: String?

        /// nil if one of its subqueries reads a table: the engine takes no such policy.
        var statements: [String]? {
            var clauses: [String] = []
            for (keyword, text) in [("USING", qualification), ("WITH CHECK", check)] {
                guard let text else { continue }
                guard let plain = PolicyExpression.withoutSubqueries(text) else { return nil }
                clauses.append("\(keyword) (\(plain))")
            }
            let clause = clauses.joined(separator: " ")
            return ["DROP POLICY \(name) ON \(table)", "CREATE POLICY \(name) ON \(table) \(head) \(clause)"]
        }
    }

    /// Those that have subqueries.
    func policies(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Policy] {
        let rows = try connection.query(
            """
            SELECT quote_ident(polname), polrelid::regclass, format('AS %s FOR %s TO %s',
                CASE WHEN polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                CASE polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE'
                    ELSE 'ALL' END,
                (SELECT string_agg(CASE WHEN role = 0 THEN 'public' ELSE role::regrole::text END, ', ')
                    FROM unnest(polroles) AS role)),
                pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
            FROM pg_policy WHERE polrelid IN (\(Self.ids("$1")))
                AND concat(pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)) ~ '\\( SELECT\\s'
            ORDER BY polrelid::regclass::text, polname
            """,
            [ArrayLiteral.text(distributed)]
        )
        return rows.map { row in
            Policy(
                name: row[0] ?? "",
                table: row[1] ?? "",
                head: row[2] ?? "",
                qualification: row[3],
                check: row[4]
            )
        }
    }
}

/// Expressions as PostgreSQL prints them.
enum PolicyExpression {
    /// `( SELECT f() AS f)` becomes `(f())`: such a subquery is there to be read once, and not for each row. nil if one
    /// of them has a FROM.
    static func withoutSubqueries(_ text: String) -> String? {
        let opening = "( SELECT"
        var rest = text[...]
        var plain = ""
        while let start = rest.firstRange(of: opening) {
            guard let end = closing(rest[start.upperBound...]) else { return nil }
            let inner = rest[start.upperBound..<end]
            guard let value = withoutSubqueries(String(inner.drop(while: \.isWhitespace))),
                !value.contains(#/(^|\s)FROM\s/#)
            else { return nil }
            plain += rest[..<start.lowerBound] + "(" + value.replacing(#/ AS ("[^"]*"|\w+)$/#, with: "") + ")"
            rest = rest[text.index(after: end)...]
        }
        return plain + rest
    }

    /// Where the parenthesis ends in which `text` begins.
    private static func closing(_ text: Substring) -> Substring.Index? {
        var depth = 0
        var isText = false
        for index in text.indices {
            if text[index] == "'" { isText.toggle() }
            if isText { continue }
            if text[index] == "(" { depth += 1 }
            if text[index] == ")" {
                if depth == 0 { return index }
                depth -= 1
            }
        }
        return nil
    }
}
