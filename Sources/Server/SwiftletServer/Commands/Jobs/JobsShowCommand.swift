import ArgumentParser
import SwiftletJobs

struct JobsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what is kept of a job. Its payload may name people.",
        discussion: """
            Example:
              swiftlet jobs show 4711
            """
    )

    @Argument(help: "The job's id, as `jobs list` shows it.")
    var id: Int

    func run() async throws {
        try await Terminal.run {
            guard let values = try JobDirectory.open().show(id) else { throw CommandFailure("there is no job \(id)") }
            let table = TextTable(header: ["FIELD", "VALUE"], rows: values.map { [$0.name, $0.value] })
            for line in table.lines { Terminal.say(line) }
        }
    }
}
