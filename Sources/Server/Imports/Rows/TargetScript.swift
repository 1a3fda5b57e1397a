import SwiftletBackups
import SwiftletEssentials
import SwiftletProcesses

/// A script that `psql` runs as it is written: if this process ends, or the script does not come to its `COMMIT`, nothing
/// of it stays.
final class TargetScript {
    private let child: ChildProgram
    private let errors: OutputFile
    private var pipe: ChildPipe
    private var isOver = false

    init(_ program: PostgresProgram, _ connection: ProgramConnection) throws {
        // Whoever ends before it has read everything must not end us.
        signal(SIGPIPE, SIG_IGN)
        errors = try OutputFile()
        pipe = try ChildPipe()
        child = try ChildProgram.start(
            [
                program.path, "--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1",
                "--dbname=\(connection.text)",
            ],
            connection.environment,
            input: pipe.reading,
            errors: errors.descriptor
        )
        pipe.closeReading()
    }

    deinit { if !isOver { stop() } }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Throws ``BackupError/programFailed(name:status:output:)`` if it has ended, with its reason.
    func write(_ bytes: [UInt8]) throws {
        do {
            try ChildProgram.write(bytes, to: pipe.writing)
        } catch let error as POSIXError where error.code == .EPIPE {
            try finish()
            throw error
        }
    }

    /// Waits for its end.
    func finish() throws {
        pipe.closeWriting()
        isOver = true
        let status = try child.wait()
        guard status == 0 else {
            throw BackupError.programFailed(name: "psql", status: Int(status), output: errors.summary)
        }
    }

    /// Ends it before the end of what it reads can be taken for the end of the rows.
    func stop() {
        isOver = true
        child.kill()
        _ = try? child.wait()
        pipe.closeWriting()
    }
}
