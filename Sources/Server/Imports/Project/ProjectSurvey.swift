import SwiftletPostgres

/// What of a project has no place here, or needs something first.
struct ProjectSurvey {
    /// Objects that the dump leaves out, by their catalog's number and their own: "2620 16402".
    private(set) var excluded: Set<String> = []
    private(set) var excludedNames: [String] = []
    /// Policies that are made again for fewer roles, by their own number in `pg_policy`.
    private(set) var reducedPolicies: Set<String> = []
    /// Extensions that the app's tables and functions need, with the schema they are in there.
    private(set) var extensions: [(name: String, schema: String)] = []
    private(set) var report = ImportReport()

    private let project: ProjectDatabase

    /// `available`: the extensions that the target's server has.
    init(_ project: ProjectDatabase, available: Set<String>) throws {
        self.project = project
        try examineOrigin()
        try examineExtensions(available)
        try examineForeignObjects()
        try examineBodies()
        try examinePolicies()
        try examineServices()
        try examinePasswords()
    }

    private mutating func examineExtensions(_ available: Set<String>) throws {
        let all = try project.rows(
            "SELECT e.extname, n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace ORDER BY 1"
        )
        for row in all where row[0] != "plpgsql" {
            let (name, schema) = (row[0], row[1])
            let isService = ProjectSchemas.services.contains(name)
            let users = try users(ofExtension: name)
            if available.contains(name), !isService || !users.isEmpty {
                extensions.append((name, schema))
                continue
            }
            var needs: [String] = []
            for user in users {
                if user.isDispensable { exclude(user, "needs the extension \(name)") } else { needs.append(user.text) }
            }
            if let first = needs.first {
                report.obstacles.append(
                    "\(first)\(needs.count > 1 ? " and \(needs.count - 1) more" : "") needs the extension \(name), which this server lacks: install its package (such as postgresql-\(project.major)-\(name.replacing("_", with: "-"))), or change the project"
                )
            } else if !isService {
                report.omit("the extension \(name)", "nothing of the app needs it, and this server lacks it")
            }
        }
    }

    /// Objects of the app that use those of Supabase's own services, such as webhooks.
    private mutating func examineForeignObjects() throws {
        let served = ["auth", "storage", "realtime", "extensions"]
        let foreign = ProjectSchemas.platform.filter { !served.contains($0) }
        for user in try objects(
            """
            JOIN (
                SELECT 'pg_catalog.pg_proc'::regclass AS refclass, oid AS ref, pronamespace AS space FROM pg_proc
                UNION ALL SELECT 'pg_catalog.pg_class'::regclass, oid, relnamespace FROM pg_class
                UNION ALL SELECT 'pg_catalog.pg_type'::regclass, oid, typnamespace FROM pg_type
            ) AS used ON used.refclass = d.refclassid AND used.ref = d.refobjid
            JOIN pg_namespace s ON s.oid = used.space AND s.nspname IN (\(ProjectSchemas.list(foreign)))
            """
        ) {
            if user.isWebhook {
                exclude(user, "database webhooks are made by: swiftlet webhooks add")
            } else if user.isDispensable {
                exclude(user, "uses what only Supabase has")
            } else {
                report.obstacles.append("\(user.text) uses what only Supabase has: change the project first")
            }
        }
    }

    /// What bodies of functions name is not known to the database.
    private mutating func examineBodies() throws {
        let names = ["net", "cron", "vault", "graphql", "pgsodium", "supabase_functions", "pgmq"]
        let found = try project.rows(
            """
            SELECT p.oid::regprocedure, (regexp_match(p.prosrc, '\\m(?:\(names.joined(separator: "|")))\\.\\w+'))[1]
            FROM pg_proc p WHERE p.pronamespace IN \(ProjectSchemas.app) AND \(ProjectSchemas.isOwn("pg_proc", "p"))
                AND p.prosrc ~ '\\m(?:\(names.joined(separator: "|")))\\.\\w+\\s*[(\\s]'
            ORDER BY 1
            """
        )
        for row in found where !row[1].isEmpty {
            report.omit(
                "what \(row[0]) calls, \(row[1])",
                "the function comes along and fails there: use swiftlet webhooks, a job or a function of the server"
            )
        }
    }

    /// Those for roles of Supabase's services, which are not here.
    private mutating func examinePolicies() throws {
        let roles = try GrantScript.roles(project)
        let isHere = "(role = 0 OR r.rolname IN (\(GrantScript.known(roles))))"
        let found = try project.rows(
            """
            SELECT 'pg_catalog.pg_policy'::regclass::oid || ' ' || l.oid,
                pg_describe_object('pg_catalog.pg_policy'::regclass, l.oid, 0), l.polname, l.oid,
                (SELECT string_agg(r.rolname, ', ' ORDER BY r.rolname)
                    FROM unnest(l.polroles) AS role JOIN pg_roles r ON r.oid = role WHERE NOT \(isHere)),
                EXISTS (SELECT FROM unnest(l.polroles) AS role LEFT JOIN pg_roles r ON r.oid = role WHERE \(isHere))
            FROM pg_policy l JOIN pg_class c ON c.oid = l.polrelid
            WHERE (c.relnamespace IN \(ProjectSchemas.app) OR \(GrantScript.isAttached))
                AND EXISTS (SELECT FROM unnest(l.polroles) AS role LEFT JOIN pg_roles r ON r.oid = role WHERE NOT \(isHere))
            ORDER BY 2
            """
        )
        for row in found where !excluded.contains(row[0]) {
            excluded.insert(row[0])
            excludedNames.append(row[2])
            let isReduced = row[5] == "t"
            if isReduced { reducedPolicies.insert(row[3]) }
            report.omit(
                isReduced ? "\(row[4]) in \(row[1])" : row[1],
                isReduced
                    ? "these roles of Supabase's services are not here, the policy comes for the others"
                    : "it is for \(row[4]) only, roles of Supabase's services, which are not here"
            )
        }
    }

    private mutating func examineServices() throws {
        if try project.connection.query("SELECT to_regclass('cron.job') IS NOT NULL") == [["t"]] {
            for row in try project.rows("SELECT jobname, schedule, left(command, 80) FROM cron.job ORDER BY jobid") {
                report.omit(
                    "the cron job \(row[0]) (\(row[1]): \(row[2]))",
                    "make it a scheduled job, see docs/jobs.md"
                )
            }
        }
        if try project.connection.query("SELECT to_regclass('vault.secrets') IS NOT NULL") == [["t"]] {
            let count = try project.texts("SELECT count(*) FROM vault.secrets").first ?? "0"
            if count != "0" {
                report.omit("\(count) secrets of the vault", "put them into the server's settings (.env)")
            }
        }
        let objects = try project.texts("SELECT count(*) FROM pg_largeobject_metadata").first ?? "0"
        if objects != "0" { report.omit("\(objects) large objects", "keep them as files") }
        for name in try project.texts(
            "SELECT pubname FROM pg_publication WHERE pubname NOT LIKE 'supabase_realtime%' ORDER BY 1"
        ) { report.omit("the publication \(name)", "make it again where its subscribers are to follow this database") }
        // Only PostgreSQL 15 and newer have these columns: in the row as JSON they may be absent.
        for name in try project.texts(
            """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_publication_rel r
                JOIN pg_publication p ON p.oid = r.prpubid AND p.pubname = 'supabase_realtime'
                JOIN pg_class c ON c.oid = r.prrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE coalesce(to_jsonb(r) ->> 'prqual', to_jsonb(r) ->> 'prattrs') IS NOT NULL ORDER BY 1
            """
        ) {
            report.omit(
                "the condition or columns of \(name) in the publication supabase_realtime",
                "the whole table is published: rows are told by its policies, columns by its grants"
            )
        }
        for name in try project.texts(
            """
            SELECT evtname FROM pg_event_trigger t JOIN pg_proc p ON p.oid = t.evtfoid
            WHERE p.pronamespace IN \(ProjectSchemas.app) ORDER BY 1
            """
        ) { report.omit("the event trigger \(name)", "only a superuser may make it") }
        for name in try project.texts(
            """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'f' AND n.oid IN \(ProjectSchemas.app) ORDER BY 1
            """
        ) {
            report.obstacles.append("\(name) is a foreign table: drop it in the project, or copy its rows into a table")
        }
        report.omit("Edge Functions", "write them in Swift: swiftlet new function, docs/functions.md")
        report.omit(
            "settings of the project (providers, mail, hooks)",
            "set them in .env, see docs/operations.md; with the project's JWT_SECRET all sessions and links go on"
        )
    }

    private mutating func examineOrigin() throws {
        guard try project.connection.query("SELECT to_regclass('swiftlet.migrations') IS NOT NULL") == [["t"]] else {
            return
        }
        report.obstacles.append("it is a database of Swiftlet already: move it by swiftlet backup create and restore")
    }

    private mutating func examinePasswords() throws {
        guard try project.connection.query("SELECT to_regclass('auth.users') IS NOT NULL") == [["t"]] else {
            return report.obstacles.append("the project has no table auth.users: is --from the right database?")
        }
        let odd =
            try project.texts(
                """
                SELECT count(*) FROM auth.users
                WHERE coalesce(encrypted_password, '') !~ '^($|\\$2[aby]\\$|\\$argon2(i|id)\\$)'
                """
            ).first ?? "0"
        if odd != "0" {
            report.omit("\(odd) passwords", "their hash is neither bcrypt nor Argon2: these users have to reset theirs")
        }
        for (table, what) in [
            ("auth.saml_providers", "SAML providers"), ("auth.oauth_clients", "clients of the OAuth server"),
            ("auth.webauthn_credentials", "passkeys"),
        ] where try project.connection.query("SELECT to_regclass('\(table)') IS NOT NULL") == [["t"]] {
            let count = try project.texts("SELECT count(*) FROM \(table)").first ?? "0"
            if count != "0" { report.omit("\(count) \(what)", "they have to be set up again") }
        }
    }

    private mutating func exclude(_ user: DependentObject, _ reason: String) {
        excluded.insert(user.key)
        excludedNames.append(user.name)
        report.omit(user.text, reason)
    }

    private func users(ofExtension name: String) throws -> [DependentObject] {
        try objects(
            """
            JOIN pg_depend m ON m.classid = d.refclassid AND m.objid = d.refobjid AND m.deptype = 'e'
            JOIN pg_extension e ON e.oid = m.refobjid AND e.extname = \(ImportLedger.literal(name))
            """
        )
    }

    /// The app's objects whose dependencies fit the joins on `pg_depend d`.
    private func objects(_ joins: String) throws -> [DependentObject] {
        try project.rows(DependentObject.query(joins)).map(DependentObject.init)
    }
}
