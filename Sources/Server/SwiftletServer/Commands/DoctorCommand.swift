import ArgumentParser

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check configuration, database, migrations, keys, mail, certificates and limits.",
        discussion: """
            Prints one line per check, with what to do about it. Exits with 1 if a check fails.

            Example:
              swiftlet doctor
            """
    )

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let findings = await Doctor(environment).examine()
            for finding in findings { Terminal.say(finding.description) }
            if findings.contains(where: { $0.grade == .fault }) { throw ExitCode.failure }
        }
    }
}
