import ArgumentParser

struct UsersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List accounts: address, state, tenant, role level, last sign-in, id.",
        discussion: """
            Example:
              swiftlet users list --tenant acme
            """
    )

    @Option(help: "Only of this tenant.")
    var tenant: String?

    @Option(help: "At most so many.")
    var limit = 1000

    func validate() throws {
        guard (1...1_000_000).contains(limit) else { throw ValidationError("--limit must be from 1 to 1000000.") }
    }

    func run() async throws {
        try await Terminal.run {
            let rows = try UsersCommand.open(UsersCommand.environment()).list(tenant: tenant, limit: limit)
            let table = [["ADDRESS", "STATE", "TENANT", "LEVEL", "LAST SIGN-IN", "ID"]] + rows
            let widths = (0..<6).map { column in table.map { $0[column].count }.max() ?? 0 }
            for row in table {
                let cells = zip(row, widths).map { text, width in
                    text + String(repeating: " ", count: max(0, width - text.count))
                }
                Terminal.say(cells.joined(separator: "  "))
            }
        }
    }
}
