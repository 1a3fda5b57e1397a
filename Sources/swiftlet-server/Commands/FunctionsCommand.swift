import ArgumentParser
import Functions
import Postgres
import SignIn
import Swiftlet

struct FunctionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "functions",
        abstract: "List the functions: routes, who may call them, the table behind them, and what the database lacks.",
        discussion: """
            Without a reachable database the list is printed without the last part.

            Example:
              swiftlet functions
            """
    )

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let schema = try? await SchemaProbe.read(environment)
            let all = functions + [SignIn.mobileRoutes]
            let summaries = all.map { FunctionSummary($0, in: schema ?? .empty) }.sorted { $0.name < $1.name }
            let header = ["METHOD", "ROUTE", "ACCESS", "TABLE"]
            let rows = summaries.flatMap(\.routes).map { [$0.method, $0.path, $0.access, $0.table ?? "-"] }
            for line in Self.aligned([header] + rows) { Terminal.say(line) }
            guard schema != nil else {
                Terminal.warn("no database reached (DATABASE_URL): what it lacks is not known")
                return
            }
            let missing = Set(summaries.flatMap(\.missing)).sorted()
            Terminal.say("\nMissing in the database: \(missing.isEmpty ? "nothing" : missing.joined(separator: ", "))")
        }
    }

    /// Columns padded to the widest cell.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (cell, width) in zip(row, widths) {
                line += cell + String(repeating: " ", count: width - cell.count + 2)
            }
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
