import ArgumentParser
import SwiftletEssentials
import SwiftletInterface

struct GenerateSummariesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "summaries",
        abstract: "Swift with what doc comments say of functions and routes, for /docs and /openapi.json.",
        discussion: """
            Reads the sources of an app. The comment of a handler, or of a route, is the route's; its first sentence \
            becomes the summary. The app hands it on: `let summaries = documentation`, beside its functions.

            Example:
              swiftlet generate summaries Sources/Backend -o Sources/Backend/Summaries.swift
            """
    )

    @Argument(help: "The folder with the app's sources.")
    var folder: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Terminal.run {
            let root = URL(filePath: folder)
            guard let names = try? FileManager.default.subpathsOfDirectory(atPath: folder) else {
                throw CommandFailure("\(folder) cannot be read")
            }
            let sources = try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
                try String(contentsOf: root.appending(path: name), encoding: .utf8)
            }
            try output.put(DocComments(sources: sources).swift)
        }
    }
}
