import ArgumentParser
import SwiftletRealtime

struct RealtimeAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Tell apps the changes of tables.",
        discussion: """
            From now on PostgreSQL logs the whole row before each change, which can double what updates and deletes write: \
            only so is known who saw a row that is deleted. With --key-only it logs the key, as before, and deletes in \
            tables with row security are told to nobody.

            Example:
              swiftlet realtime add tasks comments
            """
    )

    @Argument(help: "Tables, with their schema unless that is public.")
    var tables: [String]

    @Flag(help: "Leave it at the key.")
    var keyOnly = false

    func run() async throws {
        try await Terminal.run {
            let directory = try ChangeDirectory.open()
            for table in tables {
                guard let name = try directory.add(table, keyOnly: keyOnly) else {
                    throw CommandFailure("there is no table \(table)")
                }
                Terminal.say("changes of \(name) are told")
            }
        }
    }
}
