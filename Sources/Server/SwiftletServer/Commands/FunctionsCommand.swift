import ArgumentParser
import SwiftletPostgres
import SwiftletSignIn
import SwiftletWeb

struct FunctionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "functions",
        abstract: "List the functions: routes, who may call them, the table behind them, and what the database lacks.",
        discussion: """
            Without a reachable database, the last part is left out.

            Example:
              swiftlet functions
            """
    )

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let schema = try? await CommandDatabase.schema(environment)
            let all = RunningApp.current.functions + [SignIn.mobileRoutes, SignIn.deviceRoutes]
            let summaries = all.map { FunctionSummary($0, in: schema ?? .empty) }.sorted { $0.name < $1.name }
            let rows = summaries.flatMap(\.routes).map { [$0.method, $0.path, $0.access, $0.table ?? "-"] }
            let table = TextTable(header: ["METHOD", "ROUTE", "ACCESS", "TABLE"], rows: rows)
            for line in table.lines { Terminal.say(line) }
            guard schema != nil else {
                Terminal.warn("cannot reach a database (DATABASE_URL) to compare the functions with")
                return
            }
            let missing = Set(summaries.flatMap(\.missing)).sorted()
            Terminal.say("\nMissing in the database: \(missing.isEmpty ? "nothing" : missing.joined(separator: ", "))")
        }
    }
}
