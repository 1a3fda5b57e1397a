import ArgumentParser
import SwiftletConsole

struct AccessMatrixCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "matrix",
        abstract: "Print which role may do what with which table.",
        discussion: """
            SIUD stand for select, insert, update, delete. A capital letter means every row, a small one the rows that a \
            policy allows, ! that there is a grant but no policy lets any row through, - that there is no grant.

            Example:
              swiftlet access matrix
            """
    )

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let rows = try await CommandDatabase.use(environment) { try await AccessMatrix.read($0) }
            let table = TextTable(
                header: ["TABLE"] + AccessMatrix.roles.map { $0.uppercased() } + ["POLICIES"],
                rows: rows.map { [$0.table] + $0.letters + [$0.policies.joined(separator: ", ")] }
            )
            for line in table.lines { Terminal.say(line) }
        }
    }
}
