import ArgumentParser
import SwiftletEssentials
import SwiftletImports
import SwiftletMigrations
import SwiftletOutbound
import SwiftletPostgres
import SwiftletStorage

struct ImportSupabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "supabase",
        abstract: "Bring a Supabase project here: rows, accounts, policies, functions in SQL, buckets and files.",
        discussion: """
            Into the database of DATABASE_URL, which must be empty, and the files to STORAGE_PATH or S3_BUCKET. The \
            project is read in one snapshot and never written. If it breaks off, run it again: it goes on where it was. \
            With --check it says what would come and what would not, and changes nothing; exit code 1 says that \
            something has to be done first.

            The address is --from or IMPORT_FROM, which no other user of this machine sees. Files come from the \
            project's URL with its service key in IMPORT_SERVICE_KEY, from the folder of a self-hosted one \
            (volumes/storage/stub/stub), or from its bucket with keys in IMPORT_S3_ACCESS_KEY and \
            IMPORT_S3_SECRET_KEY (IMPORT_S3_ENDPOINT, IMPORT_S3_REGION unless it is at Amazon in us-east-1).

            Examples:
              swiftlet import supabase --from postgresql://postgres:…@db.ref.supabase.co:5432/postgres --check
              IMPORT_SERVICE_KEY=… swiftlet import supabase --from postgresql://… --files https://ref.supabase.co
            """
    )

    @Option(help: "The project's database: the direct connection or the session pooler. IMPORT_FROM otherwise.")
    var from: String?

    @Option(help: "The project's URL, a folder, s3://bucket/folder, or none: the files stay where they are.")
    var files: String?

    @Flag(help: "Finish without objects whose files cannot be had.")
    var acceptMissingFiles = false

    @Flag(help: "Say beforehand what would come and what would not.")
    var check = false

    func run() async throws {
        try await Terminal.run {
            // Never into the database of a `swiftlet dev` that happens to run here.
            let environment = try Environment.current()
            guard let from = from ?? environment["IMPORT_FROM"] else {
                throw ValidationError("Say where the project's database is: --from postgresql://…, or IMPORT_FROM.")
            }
            let storage = try BackupPlaceOptions.storage(environment)
            let run = SupabaseImport(
                from: from,
                into: try DatabaseSettings(environment).url,
                files: try files.map { try source($0, environment) },
                acceptsMissingFiles: acceptMissingFiles,
                storage.openWithoutLimit(),
                migrations: try AllMigrations.platform(),
                progress: { Terminal.say(TextTable.harmless($0)) }
            )
            guard !check else {
                let report = try run.check()
                for line in report.lines { Terminal.say(TextTable.harmless(line)) }
                guard report.obstacles.isEmpty else { throw ExitCode.failure }
                return
            }
            let report = try await run.run()
            for line in report.lines { Terminal.say(TextTable.harmless(line)) }
            Terminal.say("next: APPS=none in .env unless you have apps, swiftlet doctor, swiftlet serve")
        }
    }

    private func source(_ text: String, _ environment: Environment) throws -> ProjectFiles {
        if text == "none" { return .none }
        if text.lowercased().hasPrefix("s3://") { return .bucket(try ForeignBucket.named(text, environment)) }
        guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
            guard FileManager.default.folderExists(atPath: text) else {
                throw CommandFailure("--files \(text) is neither a URL nor a folder nor s3://bucket/folder")
            }
            return .folder(ForeignFolder(path: text))
        }
        guard let key = environment["IMPORT_SERVICE_KEY"] else {
            throw ConfigurationError([
                "IMPORT_SERVICE_KEY is missing: the service key of the project, which reads its files"
            ])
        }
        // The endpoint that Supabase shows for S3 has the same objects as the API beside it.
        let project = text.replacing(#/\/storage\/v1(\/s3)?\/?$/#, with: "")
        var reader = SettingsReader(environment)
        return .project(ProjectClient(project, serviceKey: key, trust: Configuration.trust(&reader)))
    }
}
