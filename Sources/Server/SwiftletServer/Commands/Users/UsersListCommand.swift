import ArgumentParser

struct UsersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List accounts: address or number, state, tenant, role level, last sign-in, id.",
        discussion: """
            Example:
              swiftlet users list --tenant acme
            """
    )

    @Option(help: "Only accounts of this tenant.")
    var tenant: String?

    @Option(help: "The maximum number of accounts.")
    var limit = 1000

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
    }

    func run() async throws {
        try await Terminal.run {
            let rows = try UserArguments.open(UserArguments.environment()).list(tenant: tenant, limit: limit)
            let header = ["ADDRESS", "STATE", "TENANT", "LEVEL", "LAST SIGN-IN", "ID"]
            for line in TextTable(header: header, rows: rows).lines { Terminal.say(line) }
        }
    }
}
