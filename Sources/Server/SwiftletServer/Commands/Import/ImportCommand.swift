import ArgumentParser

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Bring what another server has into this one.",
        discussion: """
            Example:
              swiftlet import supabase --from postgresql://postgres:…@db.ref.supabase.co:5432/postgres --check
            """,
        subcommands: [ImportSupabaseCommand.self]
    )
}
