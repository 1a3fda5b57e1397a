import ArgumentParser
import SwiftletRealtime

struct RealtimeRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Tell apps the changes of tables no more.",
        discussion: """
            PostgreSQL goes on to log whole rows before their changes, as others may use them; \
            `ALTER TABLE … REPLICA IDENTITY DEFAULT` ends that.

            Example:
              swiftlet realtime remove tasks
            """
    )

    @Argument(help: "Tables, with their schema unless that is public.")
    var tables: [String]

    func run() async throws {
        try await Terminal.run {
            let directory = try ChangeDirectory.open()
            for table in tables {
                guard let name = try directory.remove(table) else {
                    throw CommandFailure("no changes of \(table) are told")
                }
                Terminal.say("changes of \(name) are told no more")
            }
        }
    }
}
