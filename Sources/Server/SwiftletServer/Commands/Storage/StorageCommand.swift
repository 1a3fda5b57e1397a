import ArgumentParser

struct StorageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "storage",
        abstract: "List, copy and remove files of /storage/v1, and check that rows have theirs.",
        discussion: """
            All but check and adopt speak to a running server, with the service key: SUPABASE_SERVICE_ROLE_KEY, else a token of \
            JWT_SECRET. The server is --url, else API_EXTERNAL_URL, else this machine at PORT.

            Examples:
              swiftlet storage ls storage://pictures/2026/
              swiftlet storage cp ./cat.png storage://pictures/cat.png
              swiftlet storage sync ./pictures storage://pictures
              swiftlet storage rm storage://pictures/cat.png
              swiftlet storage check --deep
              swiftlet storage adopt --dry-run
            """,
        subcommands: [
            StorageListCommand.self, StorageCopyCommand.self, StorageSyncCommand.self, StorageRemoveCommand.self,
            StorageCheckCommand.self, StorageAdoptCommand.self,
        ]
    )
}
