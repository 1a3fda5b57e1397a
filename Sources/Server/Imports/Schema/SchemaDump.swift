import SwiftletBackups
import SwiftletEssentials
import SwiftletPostgres
import SwiftletProcesses

/// Tables, functions, indexes, constraints, triggers and policies of the app's schemas, as `pg_dump` writes them. Owners
/// and rights are not in it: the roles of Supabase's services do not exist here.
struct SchemaDump {
    private let file: String
    private let list: String
    private let restore: PostgresProgram

    enum Section: String {
        /// What rows need.
        case before = "pre-data"
        /// What needs the rows: keys, indexes, triggers, policies.
        case after = "post-data"
    }

    /// Writes it to the folder.
    init(_ project: ProjectDatabase, schemas: [String], _ survey: ProjectSurvey, in folder: String) throws {
        let dump = try PostgresProgram.find("pg_dump", major: project.major)
        restore = try PostgresProgram.find("pg_restore", major: dump.major)
        (file, list) = ("\(folder)/schema.dump", "\(folder)/schema.list")
        var command = [
            dump.path, "--format=custom", "--schema-only", "--no-owner", "--no-privileges", "--no-publications",
            "--no-subscriptions", "--no-security-labels", "--no-tablespaces", "--no-password",
            "--lock-wait-timeout=300000", "--snapshot=\(project.snapshot)", "--file=\(file)",
            "--dbname=\(project.program.text)",
        ]
        // A pattern: in quotes it means itself.
        command += schemas.map { "--schema=\"\($0.replacing("\"", with: "\"\""))\"" }
        try Self.run("pg_dump", command, project.program.environment)
        try Self.run("pg_restore", [restore.path, "--list", "--file=\(list)", file], PostgresProgram.environment())
        let all = try String(contentsOfFile: list, encoding: .utf8)
        let kept = all.split(separator: "\n").filter { Self.isKept($0, survey) }
        try Data((kept.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: list), options: .atomic)
    }

    /// The statements of the section, as a script for `psql`.
    func script(_ section: Section) throws -> OpenFile {
        let path = "\(file).\(section.rawValue).sql"
        try Self.run(
            "pg_restore",
            [
                restore.path, "--section=\(section.rawValue)", "--no-owner", "--no-privileges", "--use-list=\(list)",
                "--file=\(path)", file,
            ],
            PostgresProgram.environment()
        )
        guard let handle = OpenFile(forReadingAtPath: path) else {
            throw ImportError.refused("\(path) cannot be read")
        }
        return handle
    }

    /// "3456; 2620 16402 TRIGGER public todos notify postgres"
    private static func isKept(_ line: Substring, _ survey: ProjectSurvey) -> Bool {
        let words = line.split(separator: " ")
        guard !line.hasPrefix(";"), words.count > 3 else { return false }
        if words[3] == "SCHEMA" || words[3] == "EVENT" || words[3] == "EXTENSION" { return false }
        if words[3] == "COMMENT" {
            if line.contains(" COMMENT - SCHEMA ") { return false }
            return !survey.excludedNames.contains { name in
                [name, name.quotedIdentifier].contains { line.contains(" \($0) ON ") || line.hasSuffix(" \($0)") }
            }
        }
        return !survey.excluded.contains("\(words[1]) \(words[2])")
    }

    private static func run(_ name: String, _ command: [String], _ environment: [String: String]) throws {
        let errors = try OutputFile()
        let child = try ChildProgram.start(command, environment, errors: errors.descriptor)
        let status = try child.wait()
        guard status == 0 else {
            throw BackupError.programFailed(name: name, status: Int(status), output: errors.summary)
        }
    }
}
