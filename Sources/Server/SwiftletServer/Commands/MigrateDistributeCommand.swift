import ArgumentParser
import SwiftletMigrations
import SwiftletPostgres

struct MigrateDistributeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "distribute",
        abstract: "Print, or apply, what distributes the tables by tenant (Citus).",
        discussion: """
            Without --apply, the plan is printed and nothing is changed. Tables of the schema public with a tenant_id \
            that is never null are distributed by it; reference tables are copied to every node; others stay on the \
            coordinator. Make a backup first: the way back is a restore.

            Examples:
              swiftlet migrate distribute
              swiftlet migrate distribute --reference tenants,roles,users,plans --apply
            """
    )

    @Option(help: "The tables, with commas between them, that every node gets.")
    var reference = DistributionPlan.usualReferences.joined(separator: ",")

    @Flag(help: "Run the plan, in one transaction.")
    var apply = false

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let connection = try BlockingConnection.connect(to: try DatabaseSettings(environment).url)
            let names = reference.split(separator: ",").map { $0.trimmingBlanks }
            let plan = try DistributionPlan(connection, references: names)
            guard plan.faults.isEmpty else { throw CommandFailure(plan.faults.joined(separator: "\n")) }
            guard apply else { return show(plan) }
            let extensions = try connection.query("SELECT 1 FROM pg_extension WHERE extname = 'citus'")
            guard !extensions.isEmpty else {
                throw CommandFailure("the database has no extension citus: CREATE EXTENSION citus, on every node")
            }
            try plan.apply(connection)
            Terminal.say("\(plan.distributed.count) tables are distributed, \(plan.references.count) are on every node")
        }
    }

    private func show(_ plan: DistributionPlan) {
        Terminal.say("-- distributed: \(plan.distributed.joined(separator: ", "))")
        Terminal.say("-- on every node: \(plan.references.joined(separator: ", "))")
        Terminal.say("-- on the coordinator: \(plan.local.joined(separator: ", "))")
        for change in plan.changes { Terminal.say("-- changes: \(change)") }
        Terminal.say(plan.script)
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String { String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
}
