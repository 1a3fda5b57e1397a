import SwiftletBackups
import SwiftletPostgres

/// Both sides, and what is to be done between them.
struct ImportPlan {
    let project: ProjectDatabase
    let target: ImportTarget
    let survey: ProjectSurvey
    let schemas: [String]
    let tables: [ProjectTable]
    private(set) var report: ImportReport

    init(from sourceURL: String, into targetURL: String, hasFiles: Bool) throws {
        target = try ImportTarget(targetURL)
        project = try ProjectDatabase(sourceURL)
        let available = try target.connection.query("SELECT name FROM pg_available_extensions").compactMap { $0[0] }
        survey = try ProjectSurvey(project, available: Set(available))
        schemas = try project.texts(
            "SELECT nspname FROM pg_namespace n WHERE n.oid IN \(ProjectSchemas.app) ORDER BY 1"
        )
        tables = try project.tables()
        report = survey.report
        try Self.examine(target, project, &report)
        try describe()
        let objects = try count("storage.objects")
        if objects != "0", !hasFiles {
            report.obstacles.append(
                "the project has \(objects) files: say where they are with --files (the project's URL or a folder), or leave them there with --files none"
            )
        }
    }

    func platformTables() throws -> (accounts: [ProjectTable], buckets: [ProjectTable], unknownColumns: [String]) {
        let accounts = try PlatformTables(
            PlatformTables.accounts,
            schema: "auth",
            project,
            target.connection
        )
        let buckets = try PlatformTables(["buckets"], schema: "storage", project, target.connection)
        return (accounts.tables, buckets.tables, accounts.unknownColumns + buckets.unknownColumns)
    }

    /// Roles, schemas and extensions, before anything that names them.
    func preparation(_ roles: [String]) throws -> [String] {
        var statements = try roles.filter { role in
            try target.connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]).isEmpty
        }.map { "CREATE ROLE \($0.quotedIdentifier) NOLOGIN" }
        statements += schemas.map { "CREATE SCHEMA IF NOT EXISTS \($0.quotedIdentifier)" }
        for (name, schema) in survey.extensions {
            statements.append("CREATE SCHEMA IF NOT EXISTS \(schema.quotedIdentifier)")
            statements.append(
                "CREATE EXTENSION IF NOT EXISTS \(name.quotedIdentifier) SCHEMA \(schema.quotedIdentifier)"
            )
        }
        if survey.extensions.contains(where: { $0.schema == "extensions" }) {
            statements.append("GRANT USAGE ON SCHEMA extensions TO PUBLIC")
            // As the project's roles had it: bodies of functions rely on it.
            statements.append(
                """
                DO $$ BEGIN
                    EXECUTE format('ALTER DATABASE %I SET search_path = "$user", public, extensions', current_database());
                EXCEPTION WHEN insufficient_privilege THEN
                    RAISE WARNING 'the search path of the database stays without the schema extensions';
                END $$
                """
            )
        }
        return statements
    }

    private static func examine(
        _ target: ImportTarget,
        _ project: ProjectDatabase,
        _ report: inout ImportReport
    ) throws {
        switch try target.state() {
        case .empty: break
        case .begun(project.fingerprint): break
        case .begun:
            report.obstacles.append(
                "another project's import into this database has broken off: take a new database"
            )
        case .finished(_, let time):
            report.obstacles.append(
                "this database has had an import, which was finished at \(time): take a new one"
            )
        case .filled(let names):
            report.obstacles.append(
                "the database is not empty (\(names.joined(separator: ", "))), and nothing is overwritten: take a new one, CREATE DATABASE …"
            )
        }
        if target.major < project.major {
            report.obstacles.append(
                "the project has PostgreSQL \(project.major) and this database \(target.major): take one of \(project.major) or newer"
            )
        }
        for name in ["pg_dump", "pg_restore", "psql"] {
            do throws(BackupError) {
                _ = try PostgresProgram.find(name, major: project.major)
            } catch {
                report.obstacles.append("\(error)")
            }
        }
    }

    private mutating func describe() throws {
        let bytes = tables.reduce(0) { $0 + $1.bytes }
        report.carried.append(
            "\(tables.count) tables of \(schemas.joined(separator: ", ")) with \(bytes) bytes of rows, and their views, functions, types, indexes, constraints, triggers, policies and rights"
        )
        report.carried.append(
            "\(try count("auth.users")) accounts with their passwords, identities, factors and sessions"
        )
        report.carried.append("\(try count("storage.buckets")) buckets, \(try count("storage.objects")) objects")
        let published = try AttachmentScript(project: project, roles: []).published()
        if !published.isEmpty {
            report.carried.append("\(published.count) tables in the publication supabase_realtime")
        }
        if !survey.extensions.isEmpty {
            report.carried.append("the extensions \(survey.extensions.map(\.name).joined(separator: ", "))")
        }
        let roles = try GrantScript.roles(project)
        if !roles.isEmpty {
            report.carried.append("the roles \(roles.joined(separator: ", "))")
            report.omit(
                "passwords and memberships of these roles",
                "give them again where they sign in by themselves"
            )
        }
    }

    private func count(_ table: String) throws -> String {
        let exists = try project.connection.query("SELECT to_regclass($1) IS NOT NULL", [table]) == [["t"]]
        return exists ? try project.texts("SELECT count(*) FROM \(table)").first ?? "0" : "0"
    }
}
