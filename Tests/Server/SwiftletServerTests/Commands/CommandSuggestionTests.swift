import Foundation
import Testing

@testable import SwiftletServer

@Suite struct CommandSuggestionTests {
    @Test(
        arguments: [
            (["statsu"], "there is no command swiftlet statsu: perhaps you meant swiftlet status"),
            (["storage", "lss"], "there is no command swiftlet storage lss: perhaps you meant swiftlet storage ls"),
            (["db", "xyz"], "there is no command swiftlet db xyz: there are shell, diff, seed"),
        ]
    )
    func `names what may have been meant`(arguments: [String], text: String) {
        #expect(CommandSuggestion.find(arguments) == text)
    }

    @Test(
        arguments: [
            [], ["--help"], ["dev", "--watch"], ["storage", "ls", "storage://b"], ["migrate", "up"], ["migrate", "x"],
            ["help", "dev"], ["db", "shell", "-c", "x"],
        ]
    )
    func `says nothing of what exists, or is for the parser`(arguments: [String]) {
        #expect(CommandSuggestion.find(arguments) == nil)
    }

    @Test(arguments: [
        ("bash", ".local/share/bash-completion/completions/swiftlet"),
        ("fish", ".config/fish/completions/swiftlet.fish"),
        ("zsh", ".zfunc/_swiftlet"),
    ])
    func `scripts for shells are written where they look`(shell: String, path: String) async throws {
        let folder = try SwiftletProcess.makeFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let result = try await SwiftletProcess.run(
            ["completions"],
            in: folder,
            ["HOME": folder, "SHELL": "/bin/\(shell)"]
        )
        #expect(result.status == 0, "\(result.errors)")
        let script = try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8)
        for word in ["healthcheck", "status", "watch"] { #expect(script.contains(word)) }
        let printed = try await SwiftletProcess.run(["completions", shell, "--print"], in: folder)
        #expect(printed.output == script + "\n")
    }
}
