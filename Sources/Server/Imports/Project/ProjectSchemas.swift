/// Which schemas of a project are the app's.
enum ProjectSchemas {
    /// Those that Swiftlet has its own of, or serves in another way.
    static let platform = [
        "auth", "storage", "realtime", "_realtime", "extensions", "vault", "graphql", "graphql_public",
        "supabase_functions", "supabase_migrations", "pgbouncer", "pgsodium", "pgsodium_masks", "net", "cron", "pgmq",
        "_analytics", "_supavisor", "_supabase", "pgtle", "swiftlet",
    ]

    /// Roles of Supabase's own services: grants to them are of no use here.
    static let roles = [
        "postgres", "authenticator", "dashboard_user", "pgbouncer", "supabase_admin", "supabase_auth_admin",
        "supabase_storage_admin", "supabase_replication_admin", "supabase_read_only_user", "supabase_realtime_admin",
        "supabase_functions_admin", "supabase_etl_admin", "supabase_privileged_role", "supabase_superuser",
        "pgsodium_keyholder", "pgsodium_keyiduser", "pgsodium_keymaker", "pgtle_admin",
    ]

    /// Extensions whose work others do here, or nobody needs.
    static let services = [
        "pg_graphql", "pg_net", "pg_cron", "pgsodium", "supabase_vault", "pgjwt", "pg_stat_statements",
        "pgmq", "pg_tle", "supautils", "pg_stat_monitor", "pgaudit", "wrappers", "hypopg", "index_advisor",
        "plpgsql_check",
    ]

    /// A subquery of the ids of the app's schemas.
    static let app = """
        (SELECT n.oid FROM pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
            AND n.nspname NOT IN (\(list(platform)))
            AND NOT EXISTS (
                SELECT FROM pg_depend d
                WHERE d.classid = 'pg_catalog.pg_namespace'::regclass AND d.objid = n.oid AND d.deptype = 'e'
            ))
        """

    /// A condition: the object is no part of an extension.
    static func isOwn(_ table: String, _ alias: String) -> String {
        """
        NOT EXISTS (
            SELECT FROM pg_depend e
            WHERE e.classid = 'pg_catalog.\(table)'::regclass AND e.objid = \(alias).oid AND e.deptype = 'e'
        )
        """
    }

    /// Literals of SQL. Only for names that stand in the code.
    static func list(_ names: [String]) -> String { names.map { "'\($0)'" }.joined(separator: ", ") }
}
