import SwiftletBackups
import SwiftletEssentials
import SwiftletFiles
package import SwiftletMigrations
import SwiftletPostgres
package import SwiftletStorage

/// Brings a Supabase project into an empty database and a store: rows, accounts, functions, policies, buckets and files.
///
/// The project is read in one snapshot and never written. What is here is never overwritten. An import that breaks off
/// goes on where it was when it is run again; tables that have changed in the project meanwhile are copied once more.
package struct SupabaseImport {
    private let sourceURL: String
    private let targetURL: String
    private let files: ProjectFiles?
    private let acceptsMissingFiles: Bool
    private let storage: ObjectStorage
    private let migrations: [MigrationFile]
    private let progress: (String) -> Void

    /// `migrations`: those of the platform. `files`: nil where nobody has said where they are. `acceptsMissingFiles`:
    /// objects whose files cannot be had are left out.
    package init(
        from sourceURL: String,
        into targetURL: String,
        files: ProjectFiles?,
        acceptsMissingFiles: Bool = false,
        _ storage: ObjectStorage,
        migrations: [MigrationFile],
        progress: @escaping (String) -> Void
    ) {
        (self.sourceURL, self.targetURL, self.files, self.storage) = (sourceURL, targetURL, files, storage)
        (self.migrations, self.progress) = (migrations, progress)
        self.acceptsMissingFiles = acceptsMissingFiles
    }

    /// Says beforehand what would be done. Changes nothing.
    package func check() throws -> ImportReport {
        try ImportPlan(from: sourceURL, into: targetURL, hasFiles: files != nil).report
    }

    /// Throws ``ImportError``, and errors of the databases and programs; then it can be run again.
    package func run() async throws -> ImportReport {
        let plan = try ImportPlan(from: sourceURL, into: targetURL, hasFiles: files != nil)
        guard plan.report.obstacles.isEmpty else { throw ImportError.obstacles(plan.report.obstacles) }
        let (project, target) = (plan.project, plan.target)
        try target.lock()
        try Migrator(url: targetURL, files: migrations).apply { progress("applied \($0)") }
        try target.begin(project.fingerprint)
        var report = plan.report
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-import-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        defer { try? FileManager.default.removeItem(atPath: folder) }

        let roles = try GrantScript.roles(project)
        let attachments = AttachmentScript(
            project: project,
            roles: roles,
            excluded: plan.survey.excluded,
            reducedPolicies: plan.survey.reducedPolicies
        )
        try target.once("preparation") { try plan.preparation(roles) + attachments.functions(target.connection) }
        try copyRows(plan, in: folder, &report)
        let rights = GrantScript(project: project, excluded: plan.survey.excluded)
        try target.once("rights") {
            try rights.statements(roles) + attachments.policies(target) + attachments.triggers(schema: "auth")
                + Leftovers(project: project).materializedViews(excluded: plan.survey.excluded)
        }
        try publish(attachments.published(), target, &report)
        progress("rights, policies and triggers are set")
        let missing = try await bringFiles(plan)
        try target.connection.execute("ANALYZE; NOTIFY pgrst, 'reload schema'")
        if missing > 0 {
            // Triggers must not run for those that come with the next run.
            guard acceptsMissingFiles else { throw ImportError.filesMissing(missing) }
            report.omit("\(missing) objects", "their files could not be had")
        }
        try target.once("file triggers") { try attachments.triggers(schema: "storage") }
        try target.finish()
        return report
    }

    // MARK: Steps

    /// Up to the keys and indexes, which say whether the rows fit together.
    private func copyRows(_ plan: ImportPlan, in folder: String, _ report: inout ImportReport) throws {
        let (project, target) = (plan.project, plan.target)
        let platform = try plan.platformTables()
        for column in platform.unknownColumns { report.omit(column, "Swiftlet has no such column") }
        guard try target.detail(of: "keys") == nil else { return }
        let dump = try SchemaDump(project, schemas: plan.schemas, plan.survey, in: folder)
        let psql = try PostgresProgram.find("psql", major: max(project.major, target.major))
        try apply(dump.script(.before), as: "tables", psql, target)
        progress("tables and functions are made")
        let copying = TableCopying(project: project, target: target, program: psql)
        var steps = [("accounts", platform.accounts), ("buckets", platform.buckets)]
        steps += plan.tables.map { ("rows of \($0.name)", [$0]) }
        for (step, tables) in steps {
            let done = try target.detail(of: step)
            // What has changed since a run that broke off is copied again.
            if let done, try copying.digests(tables) == done { continue }
            try copying.run(step, tables, former: done)
            progress("\(step): copied")
        }
        try target.once("sequences") {
            try Leftovers(project: project).sequences()
                + [
                    "SELECT setval('auth.refresh_tokens_id_seq', greatest(1, (SELECT max(id) FROM auth.refresh_tokens)))"
                ]
        }
        try apply(dump.script(.after), as: "keys", psql, target)
        progress("keys, indexes and constraints are made")
    }

    /// Runs a script and notes the step in one transaction.
    private func apply(_ file: OpenFile, as step: String, _ psql: PostgresProgram, _ target: ImportTarget) throws {
        defer { try? file.close() }
        guard try target.detail(of: step) == nil else { return }
        let script = try TargetScript(psql, target.program)
        do {
            try script.write("BEGIN;\n\(ProjectDatabase.settings)\n")
            while true {
                let piece = try file.read(upToCount: 1 << 18)
                if piece.isEmpty { break }
                try script.write(piece)
            }
            try script.write("\n\(ImportLedger.note(step))\nCOMMIT;\n")
        } catch {
            script.stop()
            throw error
        }
        try script.finish()
    }

    /// Without the right to it, nothing else is lost.
    private func publish(_ tables: [String], _ target: ImportTarget, _ report: inout ImportReport) throws {
        guard !tables.isEmpty else { return }
        do {
            try target.once("publication") {
                let exists = try target.connection.query(
                    "SELECT 1 FROM pg_publication WHERE pubname = 'supabase_realtime'"
                )
                let create = exists.isEmpty ? ["CREATE PUBLICATION supabase_realtime"] : []
                return create + tables.map { "ALTER PUBLICATION supabase_realtime ADD TABLE \($0)" }
            }
        } catch let error as BlockingConnectionError where !target.connection.isBroken {
            report.omit(
                "the publication of \(tables.count) tables",
                "\(error): swiftlet realtime add \(tables.joined(separator: " "))"
            )
        }
    }

    /// Returns how many could not be had.
    private func bringFiles(_ plan: ImportPlan) async throws -> Int {
        guard let files else { return 0 }
        if case .bucket(let bucket) = files { try await bucket.check() }
        let run = FileImport(
            project: plan.project,
            target: plan.target,
            targetURL: targetURL,
            files: files,
            store: FileStore(storage: storage),
            progress: progress
        )
        let outcome = try await run.run()
        progress("\(outcome.imported) files imported")
        for name in outcome.missing.prefix(20) { progress("no file: \(name)") }
        return outcome.missing.count
    }
}
