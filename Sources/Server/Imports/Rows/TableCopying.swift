import SwiftletBackups
import SwiftletEssentials
import SwiftletPostgres
import SwiftletProcesses

/// Copies rows from a project's snapshot, and compares what has arrived with what was there.
struct TableCopying {
    let project: ProjectDatabase
    let target: ImportTarget
    let program: PostgresProgram

    /// All tables in one transaction, which also notes that the step is done. `former`: what a former run has noted; the
    /// rows that it has copied go first. Throws ``ImportError/obstacles(_:)`` if they are not those any more.
    func run(_ step: String, _ tables: [ProjectTable], former: String?) throws {
        let tables = tables.filter { !$0.columns.isEmpty }
        if let former {
            let here = try tables.compactMap { try target.connection.query($0.digest(isSource: false)).first?[0] }
            guard here.joined(separator: ";") == former else {
                throw ImportError.obstacles([
                    "\(step): the rows have changed here since they were copied, and the project's too, so copying again would lose something: undo what was changed here, or take a new database"
                ])
            }
        }
        let digests = try tables.map(digest)
        let script = try TargetScript(program, target.program)
        do {
            try script.write("BEGIN;\n\(ProjectDatabase.settings)\n")
            if let former {
                // Nobody may have come in between.
                let names = tables.map { "ONLY \($0.name)" }.joined(separator: ", ")
                if !names.isEmpty { try script.write("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE;\n") }
                for (table, digest) in zip(tables, former.split(separator: ";")) {
                    try script.write("\(Self.check(table, String(digest)))\n")
                }
                for table in tables.reversed() { try script.write("DELETE FROM ONLY \(table.name);\n") }
            }
            for (table, digest) in zip(tables, digests) {
                try script.write("\(table.copyIn);\n")
                try copy(table, into: script)
                try script.write("\\.\n\(Self.check(table, digest))\n")
            }
            try script.write("\(ImportLedger.note(step, digests.joined(separator: ";")))\nCOMMIT;\n")
        } catch {
            script.stop()
            throw error
        }
        try script.finish()
    }

    /// What the rows are now, in one text.
    func digests(_ tables: [ProjectTable]) throws -> String {
        try tables.filter { !$0.columns.isEmpty }.map(digest).joined(separator: ";")
    }

    private func digest(_ table: ProjectTable) throws -> String {
        try project.texts(table.digest(isSource: true)).first ?? ""
    }

    private func copy(_ table: ProjectTable, into script: TargetScript) throws {
        let errors = try OutputFile()
        var pipe = try ChildPipe()
        let child = try ChildProgram.start(
            [
                program.path, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1",
                "--dbname=\(project.program.text)",
                "--command=BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
                "--command=SET TRANSACTION SNAPSHOT '\(project.snapshot)'",
                "--command=\(ProjectDatabase.settings)",
                "--command=\(table.copyOut)",
            ],
            project.program.environment,
            output: pipe.writing,
            errors: errors.descriptor
        )
        pipe.closeWriting()
        do {
            while true {
                let piece = try ChildProgram.read(pipe.reading)
                if piece.isEmpty { break }
                try script.write(piece)
            }
        } catch {
            child.kill()
            _ = try? child.wait()
            throw error
        }
        let status = try child.wait()
        guard status == 0 else {
            throw BackupError.programFailed(name: "psql", status: Int(status), output: errors.summary)
        }
    }

    /// A statement that fails unless the rows are here as they were there.
    private static func check(_ table: ProjectTable, _ digest: String) -> String {
        var (tag, number) = ("$check$", 0)
        let query = table.digest(isSource: false)
        while query.contains(tag) {
            number += 1
            tag = "$check\(number)$"
        }
        return """
            DO \(tag) BEGIN
                IF (\(query)) <> '\(digest)' THEN
                    RAISE EXCEPTION 'the rows of a table are not what they should be: import again';
                END IF;
            END \(tag);
            """
    }
}
