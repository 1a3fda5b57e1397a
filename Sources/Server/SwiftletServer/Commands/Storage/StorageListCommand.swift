import ArgumentParser

struct StorageListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List buckets, or what is in a folder of one.",
        discussion: """
            Examples:
              swiftlet storage ls
              swiftlet storage ls storage://pictures/2026/
              swiftlet storage ls --recursive storage://pictures
            """
    )

    @Argument(help: "storage://bucket or storage://bucket/folder/; the buckets otherwise.")
    var location: StorageLocation?

    @Flag(name: .shortAndLong, help: "All that is below it.")
    var recursive = false

    @OptionGroup var server: StorageServerOptions

    func run() async throws {
        try await Terminal.run {
            let client = try server.client()
            switch location {
            case nil, .object("", _):
                for bucket in try await client.buckets() { Terminal.say(TextTable.harmless("storage://\(bucket)")) }
            case .local(let path):
                throw ValidationError("\(path) is a path of this machine: storage://bucket/folder/ is needed.")
            case .object(let bucket, let name):
                let entries = try await client.list(bucket, name, isRecursive: recursive)
                let rows = entries.map { [$0.size.map(String.init) ?? "", $0.changed ?? "", $0.type ?? "", $0.name] }
                for line in TextTable(header: ["BYTES", "CHANGED", "TYPE", "NAME"], rows: rows).lines {
                    Terminal.say(line)
                }
            }
        }
    }
}
