import ArgumentParser

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Try push messages.",
        discussion: """
            Examples:
              swiftlet push send --token 00fc13ad… --title Hello --body "It works."
              swiftlet push send --user 5f0c… --title Hello --body "On all devices of a user."
            """,
        subcommands: [PushSendCommand.self]
    )
}
