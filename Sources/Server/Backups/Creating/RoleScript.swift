import SwiftletPostgres

/// The roles that a dump names: owners, and those that have rights or policies. They belong to the server, not to the
/// database, so that no dump has them.
enum RoleScript {
    static func make(_ connection: borrowing BlockingConnection) throws -> String {
        let roles = try connection.query(
            """
            SELECT quote_ident(rolname), quote_literal(rolname),
                CASE WHEN rolcanlogin THEN 'LOGIN' ELSE 'NOLOGIN' END
                    || CASE WHEN rolinherit THEN ' INHERIT' ELSE ' NOINHERIT' END,
                rolbypassrls
            FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY rolname
            """
        )
        let settings = try connection.query(
            """
            SELECT quote_ident(r.rolname), r.rolname, quote_ident(split_part(c, '=', 1)),
                quote_literal(substr(c, strpos(c, '=') + 1))
            FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole CROSS JOIN unnest(s.setconfig) AS c
            WHERE s.setdatabase = 0 AND r.rolname !~ '^pg_' ORDER BY 1, 3
            """
        )
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
            var body = "CREATE ROLE \(identifier) \(role[2] ?? "");"
            if role[3] == "t" { body += attempt("ALTER ROLE \(identifier) BYPASSRLS") }
            for setting in settings where setting[0] == role[0] {
                body += attempt("ALTER ROLE \(identifier) SET \(setting[2] ?? "") TO \(setting[3] ?? "")")
            }
            script += """
                DO $role$ BEGIN
                    IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = \(literal)) THEN
                        \(body)
                    END IF;
                END $role$;

                """
        }
        for member in members {
            let grant = "GRANT \(member[0] ?? "") TO \(member[1] ?? "")"
            script += "DO $role$ BEGIN \(attempt(grant)) END $role$;\n"
        }
        return script
    }

    /// Where the role that restores may not do it, what can be restored without it is.
    private static func attempt(_ statement: String) -> String {
        """
         BEGIN \(statement); EXCEPTION WHEN insufficient_privilege OR undefined_object THEN
        RAISE WARNING '%', sqlerrm; END;
        """
    }
}
