import SwiftletAuth
import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletProcesses
import SwiftletStorage

/// Runs `pg_dump` and writes what it says to the target as it comes.
struct DatabaseDump: Sendable {
    let program: PostgresProgram
    let connection: ProgramConnection
    let threads: BlockingPool

    /// Whoever changes a table holds it up; it gives up in time.
    private static let lockMilliseconds = 300_000

    /// Returns the SHA-256 and the bytes. Throws ``BackupError``; then there is no dump.
    func write(_ snapshot: String, to target: BackupTarget, _ key: ObjectKey) async throws -> (String, Int) {
        let upload = try await target.begin(key)
        do {
            let result = try await run(snapshot) { try await upload.append($0) }
            try await upload.commit()
            return result
        } catch {
            await upload.abandon()
            throw error
        }
    }

    private func run(_ snapshot: String, _ append: ([UInt8]) async throws -> Void) async throws -> (String, Int) {
        let errors = try OutputFile()
        var pipe = try ChildPipe()
        let command = [
            program.path, "--format=custom", "--no-password", "--lock-wait-timeout=\(Self.lockMilliseconds)",
            "--snapshot=\(snapshot)", "--dbname=\(connection.text)",
        ]
        let child = try ChildProgram.start(
            command,
            connection.environment,
            output: pipe.writing,
            errors: errors.descriptor
        )
        pipe.closeWriting()
        let reading = pipe.reading
        let digest = try RunningDigest(.sha256)
        var count = 0
        do {
            // A program that waits and says nothing has to end, too.
            try await withTaskCancellationHandler {
                while true {
                    let piece = try await threads.finish { try ChildProgram.read(reading) }
                    try Task.checkCancellation()
                    if piece.isEmpty { break }
                    try digest.add(piece)
                    count += piece.count
                    try await append(piece)
                }
            } onCancel: {
                child.kill()
            }
        } catch {
            child.kill()
            _ = try? await threads.finish { try child.wait() }
            throw error
        }
        let status = try await threads.finish { try child.wait() }
        guard status == 0 else {
            throw BackupError.programFailed(name: "pg_dump", status: Int(status), output: errors.summary)
        }
        return (try digest.finish(), count)
    }
}
