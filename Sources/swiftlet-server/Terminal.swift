import ArgumentParser
import Foundation

/// Output and exit codes of the commands.
enum Terminal {
    /// EX_CONFIG of sysexits.h: restarting will not help, so supervisors should not try.
    static let configurationFault = ExitCode(78)

    static func say(_ text: String) {
        StandardStreams.write(Array("\(text)\n".utf8), to: STDOUT_FILENO)
    }

    static func warn(_ text: String) {
        for line in text.split(separator: "\n") {
            StandardStreams.write(Array("swiftlet: \(line)\n".utf8), to: STDERR_FILENO)
        }
    }

    /// Runs a command's body. An error is printed to standard error and becomes an exit code.
    nonisolated(nonsending) static func run(_ body: nonisolated(nonsending) () async throws -> Void) async throws {
        do {
            try await body()
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
