import ArgumentParser
import SwiftletRealtime

struct RealtimeOffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "off",
        abstract: "Drop the publication supabase_realtime and the slot, with all that PostgreSQL keeps for it.",
        discussion: """
            For a disk that fills, or a database that is to be dropped. Other programs that use the publication lose it \
            as well. `realtime add` begins anew, and clients that come back with an old position are told to read their \
            rows again.

            Example:
              swiftlet realtime off
            """
    )

    func run() async throws {
        try await Terminal.run {
            try ChangeDirectory.open().turnOff()
            Terminal.say("no changes are told any more")
        }
    }
}
