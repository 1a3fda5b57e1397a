import ArgumentParser

struct StorageRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove files.",
        discussion: """
            Examples:
              swiftlet storage rm storage://pictures/cats/cat.png
              swiftlet storage rm --recursive storage://pictures/cats/
            """
    )

    @Argument(help: "storage://bucket/name, or several.")
    var locations: [StorageLocation]

    @Flag(name: .shortAndLong, help: "All whose names begin so.")
    var recursive = false

    @OptionGroup var server: StorageServerOptions

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let client = try server.client()
            for location in locations {
                guard case .object(let bucket, let name) = location, !bucket.isEmpty, recursive || !name.isEmpty else {
                    throw ValidationError("storage://bucket/name is needed.")
                }
                let names = recursive ? try await client.list(bucket, name, isRecursive: true).map(\.name) : [name]
                let removed = try await client.remove(bucket, names)
                for name in removed { Terminal.say(TextTable.harmless("removed storage://\(bucket)/\(name)")) }
                guard !removed.isEmpty || recursive else {
                    throw CommandFailure("there is no storage://\(bucket)/\(name)")
                }
            }
        }
    }
}
