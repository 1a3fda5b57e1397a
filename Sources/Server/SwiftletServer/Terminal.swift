import ArgumentParser
import SwiftletEssentials
import Synchronization

/// Output and exit codes of the commands.
enum Terminal {
    /// EX_CONFIG of sysexits.h: restarting will not help, so supervisors should not try.
    static let configurationFault = ExitCode(78)

    private static let hasLostOutput = Atomic(false)

    static func say(_ text: String) {
        let line = Array("\(text)\n".utf8)
        if StandardStreams.write(line, to: STDOUT_FILENO) < line.count { hasLostOutput.store(true, ordering: .relaxed) }
    }

    static func warn(_ text: String) {
        for line in text.split(separator: "\n") {
            StandardStreams.write(Array("swiftlet: \(line)\n".utf8), to: STDERR_FILENO)
        }
    }

    /// Runs a command's body. An error is printed to standard error and becomes an exit code; so is output that was
    /// lost, as on a full disk, where the output is what the command is for.
    nonisolated(nonsending) static func run(
        needsOutput: Bool = true,
        _ body: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        do {
            try await body()
            guard !needsOutput || !hasLostOutput.load(ordering: .relaxed) else {
                throw CommandFailure("the output could not be written whole")
            }
        } catch let code as ExitCode {
            throw code
        } catch let error as ValidationError {
            throw error
        } catch let error as ConfigurationError {
            warn(error.description)
            throw configurationFault
        } catch {
            warn(String(describing: error))
            throw ExitCode.failure
        }
    }
}

/// Why a command failed, in words for the terminal.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
