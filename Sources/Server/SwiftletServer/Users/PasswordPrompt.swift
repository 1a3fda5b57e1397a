import SwiftletEssentials

/// Reads a password: from the terminal without echo, else the first line of standard input.
enum PasswordPrompt {
    /// On a terminal, the password must be entered twice.
    static func readNew() throws(CommandFailure) -> String {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(), !line.isEmpty else {
                throw CommandFailure(
                    "no password: standard input is empty (it is read there, never from the command line)"
                )
            }
            return line
        }
        let first = try ask("New password: ")
        guard try ask("Once more: ") == first else { throw CommandFailure("the passwords differ; nothing was changed") }
        return first
    }

    private static func ask(_ question: String) throws(CommandFailure) -> String {
        StandardStreams.write(Array(question.utf8), to: STDERR_FILENO)
        var settings = termios()
        let isKnown = unsafe tcgetattr(STDIN_FILENO, &settings) == 0
        var silent = settings
        silent.c_lflag &= ~tcflag_t(ECHO)
        if isKnown { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) }
        defer {
            if isKnown { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings) }
            StandardStreams.write([UInt8(ascii: "\n")], to: STDERR_FILENO)
        }
        guard let line = readLine(), !line.isEmpty else { throw CommandFailure("no password was entered") }
        return line
    }
}
