import ArgumentParser
import SwiftletEssentials

struct LogsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Show log lines, of all or of some requests, and those that come.",
        discussion: """
            `swiftlet dev` keeps its lines in .swiftlet/server.log, up to 16 MiB and as much of older ones. `swiftlet serve` \
            writes JSON lines to standard output, for whoever keeps logs on that machine: give them here with --file -.

            Examples:
              swiftlet logs --follow --level warning
              swiftlet logs --status 5xx --path /tasks
              docker compose logs --no-log-prefix --follow functions | swiftlet logs --file - --status 4xx
            """
    )

    @Flag(name: .shortAndLong, help: "Wait for what comes.")
    var follow = false

    @Option(name: [.customShort("n"), .long], help: "At most so many of the lines that are there.")
    var lines = 100

    @Option(help: "A level, and those above: debug, info, notice, warning, error, critical.")
    var level: LogFilter.Level?

    @Option(help: "A status, or a class of them: 404, 5xx.")
    var status: LogFilter.StatusRange?

    @Option(help: "How the path begins.")
    var path: String?

    @Option(help: "The id of the request, as in X-Request-ID.")
    var requestID: String?

    @Flag(help: "Print the lines as they are, JSON.")
    var json = false

    @Option(help: "The file, or - for standard input; .swiftlet/server.log otherwise.")
    var file: String?

    func validate() throws {
        guard (0...100_000).contains(lines) else { throw ValidationError("--lines is a number from 0 to 100000.") }
    }

    func run() async throws {
        try await Terminal.run {
            let filter = LogFilter(level: level, status: status, path: path, requestID: requestID)
            var reader = try LogReader(file ?? DevelopmentFolder().log)
            var kept: [String] = []
            while let line = try reader.next() {
                guard let text = filter.show(line, asJSON: json) else { continue }
                // Whoever pipes lines here waits for them.
                if reader.isStream { Terminal.say(text) } else { kept.append(text) }
                if kept.count > 2 * lines + 1000 { kept.removeFirst(kept.count - lines) }
            }
            for text in kept.suffix(lines) { Terminal.say(text) }
            while follow, !reader.isStream {
                try await Task.sleep(for: .milliseconds(100))
                while let line = try reader.next() {
                    if let text = filter.show(line, asJSON: json) { Terminal.say(text) }
                }
            }
        }
    }
}
