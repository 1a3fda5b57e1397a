import ArgumentParser
import SwiftletRealtime

struct RealtimeStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the tables whose changes are told, the replication slot and the log.",
        discussion: """
            Example:
              swiftlet realtime status
            """
    )

    func run() async throws {
        try await Terminal.run {
            let directory = try ChangeDirectory.open()
            let tables = try directory.tables()
            if tables.isEmpty {
                Terminal.say("no table is published: swiftlet realtime add TABLE")
            } else {
                for line in TextTable(header: ChangeDirectory.tableHeader, rows: tables).lines { Terminal.say(line) }
            }
            Terminal.say("")
            let state = try directory.state().map { [$0.name, $0.value] }
            for line in TextTable(header: ["FIELD", "VALUE"], rows: state).lines { Terminal.say(line) }
        }
    }
}
