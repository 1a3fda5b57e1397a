import ArgumentParser
import SwiftletEssentials

struct CompletionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Let your shell complete commands and options.",
        discussion: """
            Writes the script to where the shell looks for it: bash-completion's folder, ~/.config/fish/completions or \
            ~/.zfunc.

            Examples:
              swiftlet completions
              swiftlet completions zsh --print
            """
    )

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        fileprivate var scripts: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }

        /// Where it looks, below the home folder unless a variable says otherwise.
        fileprivate func place(_ variables: [String: String], _ name: String) -> String? {
            guard let home = variables["HOME"] else { return nil }
            switch self {
            case .bash:
                return "\(variables["XDG_DATA_HOME"] ?? "\(home)/.local/share")/bash-completion/completions/\(name)"
            case .fish: return "\(variables["XDG_CONFIG_HOME"] ?? "\(home)/.config")/fish/completions/\(name).fish"
            case .zsh: return "\(home)/.zfunc/_\(name)"
            }
        }
    }

    @Argument(help: "bash, zsh or fish; that of SHELL otherwise.")
    var shell: Shell?

    @Flag(help: "Print the script instead.")
    var print = false

    func run() async throws {
        try await Terminal.run {
            let variables = ProcessInfo.processInfo.environment
            let own = variables["SHELL"].flatMap { Shell(rawValue: URL(fileURLWithPath: $0).lastPathComponent) }
            guard let shell = shell ?? own else {
                throw ValidationError("Say for which shell: bash, zsh or fish.")
            }
            let script = SwiftletCommand.completionScript(for: shell.scripts)
            if print { return Terminal.say(script) }
            guard let path = shell.place(variables, "swiftlet") else {
                throw CommandFailure("HOME is not set: use --print")
            }
            do {
                try FileManager.default.createDirectory(
                    at: URL(fileURLWithPath: path).deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try Data(script.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw CommandFailure("\(path) cannot be written: \(error.reason)")
            }
            Terminal.say("\(path) is written: open a new shell")
            if shell == .zsh {
                Terminal.say("once, in ~/.zshrc: fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit")
            }
        }
    }
}
