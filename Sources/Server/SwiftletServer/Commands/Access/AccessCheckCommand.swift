import ArgumentParser
import SwiftletConsole
import SwiftletEssentials

struct AccessCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Run the checks of access.json; the exit code is 1 if one fails.",
        discussion: """
            A check says who, which table, and what is expected: how many rows are seen, or whether one row may be seen, \
            updated or deleted. The console's access page writes such lines.

            Example:
              swiftlet access check
            with an access.json such as:
              [{"who": {"account": "ada@acme.example"}, "table": "tasks", "expect": {"seen": 300, "of": 600}},
               {"who": {"kind": "anon"}, "table": "tasks", "action": "select", "key": ["t-1"], "expect": false}]
            """
    )

    @Argument(help: "The file with the checks.")
    var file = "access.json"

    func run() async throws {
        try await Terminal.run {
            guard let text = FileManager.default.contents(atPath: file) else {
                throw CommandFailure("\(file) cannot be read")
            }
            let checks: [AccessCheck]
            do {
                checks = try AccessCheck.list(Array(text))
            } catch {
                throw CommandFailure("\(file): \(error)")
            }
            let environment = try Environment.current().withDevelopmentDefaults()
            let failures = try await CommandDatabase.use(environment) { database in
                let tester = AccessTester(database: database)
                var failures = 0
                for check in checks {
                    let fault: String?
                    do {
                        fault = try await check.run(tester)
                    } catch let error as ConsoleError {
                        fault = error.message
                    }
                    Terminal.say(fault.map { "FAILED  \(check.subject): \($0)" } ?? "ok      \(check.subject)")
                    if fault != nil { failures += 1 }
                }
                return failures
            }
            guard failures == 0 else { throw CommandFailure("\(failures) of \(checks.count) checks failed") }
        }
    }
}
