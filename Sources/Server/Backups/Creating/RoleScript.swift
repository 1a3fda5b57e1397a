import SwiftletPostgres

/// The roles of the server, which no dump has, as they belong to no database: those that a dump names as owners or in
/// rights and policies, and others, which come back where whoever restores may make roles. The settings of the database
/// are here too, for the same reason.
enum RoleScript {
    /// Run with this, the script leaves the settings of the database alone, which may hinder what restores the rows.
    static let beforeRows = "SET swiftlet.restoring TO 'roles'"

    static func make(_ connection: borrowing BlockingConnection) throws -> String {
        let roles = try connection.query(
            """
            WITH RECURSIVE here AS (SELECT oid, datdba FROM pg_database WHERE datname = current_database()),
            named AS (
                (
                    SELECT datdba AS role FROM here
                    UNION SELECT refobjid FROM pg_shdepend CROSS JOIN here WHERE refclassid = 'pg_authid'::regclass
                        AND (dbid = here.oid OR (classid = 'pg_database'::regclass AND objid = here.oid))
                    UNION SELECT setrole FROM pg_db_role_setting CROSS JOIN here WHERE setdatabase = here.oid
                )
                UNION SELECT roleid FROM pg_auth_members JOIN named ON member = role
            )
            SELECT quote_ident(rolname), quote_literal(rolname),
                CASE WHEN rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END
                    || CASE WHEN rolinherit THEN ' INHERIT' ELSE ' NOINHERIT' END,
                rolbypassrls, oid IN (SELECT role FROM named)
            FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY rolname
            """
        )
        let settings = try connection.query(
            """
            SELECT quote_ident(r.rolname), s.setdatabase <> 0, split_part(c, '=', 1),
                quote_ident(split_part(c, '=', 1)), substr(c, strpos(c, '=') + 1)
            FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole CROSS JOIN unnest(s.setconfig) AS c
            WHERE (s.setdatabase = 0 OR s.setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database()))
                AND (s.setrole = 0 OR r.rolname !~ '^pg_')
            ORDER BY 1, 3
            """
        ).map(Setting.init)
        let members = try connection.query(
            """
            SELECT DISTINCT quote_ident(g.rolname), quote_ident(m.rolname)
            FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
            WHERE g.rolname !~ '^pg_' AND m.rolname !~ '^pg_' ORDER BY 1, 2
            """
        )
        var script = "-- The roles of the database, where they are missing. Passwords are not in it.\n"
        for role in roles {
            let (identifier, literal) = (role[0] ?? "", role[1] ?? "")
            let creation = "CREATE ROLE \(identifier) \(role[2] ?? "")"
            var body = role[4] == "t" ? "\(creation);" : attempt(creation)
            if role[3] == "t" { body += attempt("ALTER ROLE \(identifier) BYPASSRLS") }
            for setting in settings where setting.role == identifier && !setting.isOfDatabase {
                if let set = setting.clause { body += attempt("ALTER ROLE \(identifier) \(set)") }
            }
            script += block("IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = \(literal)) THEN", body)
        }
        for member in members {
            script += block(nil, attempt("GRANT \(member[0] ?? "") TO \(member[1] ?? "")"))
        }
        let condition = "IF pg_catalog.current_setting('swiftlet.restoring', true) IS DISTINCT FROM 'roles' THEN"
        for setting in settings where setting.isOfDatabase {
            guard let set = setting.clause else { continue }
            // The database may have another name where it is restored.
            let start = setting.role.map { "ALTER ROLE \($0) IN DATABASE " } ?? "ALTER DATABASE "
            let parts = [
                literal(start), "pg_catalog.quote_ident(pg_catalog.current_database())", literal(" \(set)"),
            ]
            script += block(condition, attempt("EXECUTE pg_catalog.concat(\(parts.joined(separator: ", ")))"))
        }
        return script
    }

    /// `SET name TO value`, of a role or a database.
    private struct Setting {
        let role: String?
        let isOfDatabase: Bool
        let clause: String?

        init(_ row: [String?]) {
            role = row[0]
            isOfDatabase = row[1] == "t"
            let (name, value) = (row[2] ?? "", row[4] ?? "")
            let values = RoleScript.lists.contains(name) ? RoleScript.elements(value) : [value]
            clause = values.map { values in
                let texts = values.isEmpty ? ["''"] : values.map(RoleScript.literal)
                return "SET \(row[3] ?? "") TO \(texts.joined(separator: ", "))"
            }
        }
    }

    /// The settings whose values PostgreSQL keeps as lists of quoted names, as `pg_dumpall` has them.
    private static let lists: Set<String> = [
        "local_preload_libraries", "search_path", "session_preload_libraries", "shared_preload_libraries",
        "temp_tablespaces", "unix_socket_directories",
    ]

    /// The names of such a list; nil for what is none.
    static func elements(_ list: String) -> [String]? {
        var elements: [String] = []
        var rest = list.unicodeScalars[...]
        let skipSpace = { (rest: inout Substring.UnicodeScalarView) in
            rest = rest.drop { " \t\n\r\u{0B}\u{0C}".unicodeScalars.contains($0) }
        }
        skipSpace(&rest)
        if rest.isEmpty { return [] }
        while true {
            var element = String.UnicodeScalarView()
            if rest.first == "\"" {
                rest.removeFirst()
                while true {
                    guard let scalar = rest.popFirst() else { return nil }
                    if scalar == "\"" {
                        guard rest.first == "\"" else { break }
                        rest.removeFirst()
                    }
                    element.append(scalar)
                }
            } else {
                while let scalar = rest.first, scalar != ",", !" \t\n\r\u{0B}\u{0C}".unicodeScalars.contains(scalar) {
                    element.append(scalar)
                    rest.removeFirst()
                }
                if element.isEmpty { return nil }
            }
            elements.append(String(element))
            skipSpace(&rest)
            guard let scalar = rest.popFirst() else { return elements }
            guard scalar == "," else { return nil }
            skipSpace(&rest)
        }
    }

    private static func literal(_ text: String) -> String {
        let body = text.replacing("'", with: "''").replacing(#"\"#, with: #"\\"#)
        return text.contains(#"\"#) ? "E'\(body)'" : "'\(body)'"
    }

    /// Any role may write what it likes into a setting, so the tag is one that the body does not have.
    private static func block(_ condition: String?, _ body: String) -> String {
        let body = condition.map { "\($0)\n\(body)\nEND IF;" } ?? body
        var (tag, number) = ("$role$", 0)
        while body.contains(tag.dropLast()) {
            number += 1
            tag = "$r\(number)$"
        }
        return "DO \(tag) BEGIN\n\(body)\nEND \(tag);\n"
    }

    /// Where it cannot be done, what can be restored without it is.
    private static func attempt(_ statement: String) -> String {
        "\n BEGIN \(statement); EXCEPTION WHEN OTHERS THEN RAISE WARNING '%', sqlerrm; END;"
    }
}
