import ArgumentParser

struct UsersMergeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merge",
        abstract: "Move what belongs to one account to another of the same person, and delete the first.",
        discussion: """
            Without --yes it tells what would move, and changes nothing. Sign-in methods, second factors, passkeys and \
            files move, and the rows of all tables with a foreign key to accounts; address, number and password move \
            where the second account has none. Rights stay those of the second account; the sessions of the first end. \
            Rows that a unique key keeps from moving go as their foreign key says, if --leave-rows allows it.

            Examples:
              swiftlet users merge ada@old.example ada@new.example
              swiftlet users merge +4915112345678 ada@new.example --yes
            """
    )

    @Argument(help: "The account that ends: address, phone number or id.", transform: AccountName.parse)
    var from: AccountName

    @Argument(help: "The account that stays.", transform: AccountName.parse)
    var into: AccountName

    @Flag(help: "Do it.")
    var yes = false

    @Flag(help: "Leave rows that cannot move to their foreign keys.")
    var leaveRows = false

    func run() async throws {
        try await Terminal.run {
            let directory = try UserArguments.open(UserArguments.environment())
            let report = try directory.merge(from, into: into, commits: yes, leavesRows: leaveRows)
            for line in report.lines { Terminal.say(line) }
            Terminal.say(yes ? "\(from) is part of \(into) now" : "nothing is changed; --yes does it")
        }
    }
}
