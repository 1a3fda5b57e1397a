import ArgumentParser
import Foundation

/// What a command says, and how it ends.
enum Terminal {
    /// sysexits.h, EX_CONFIG: a start-up fault that trying again will not mend, so supervisors should not.
    static let configurationFault = ExitCode(78)

    static func say(_ text: String) {
        write("\(text)\n", to: STDOUT_FILENO)
    }

    static func warn(_ text: String) {
        for line in text.split(separator: "\n") { write("swiftlet: \(line)\n", to: STDERR_FILENO) }
    }

    /// Runs a command's body; any error becomes its text on standard error and an exit code.
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

    /// A start-up fault: the text says what to do about it.
    static func refuse(_ error: some Error) -> ConfigurationError {
        ConfigurationError([String(describing: error)])
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return }
            bytes = bytes.dropFirst(max(0, count))
        }
    }
}

/// A command that could not do its work, in words.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
