import ArgumentParser

struct ConsoleLinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print a link that enters the console once, within five minutes, as owner.",
        discussion: """
            Example:
              swiftlet console link
            """
    )

    @Option(help: "The server's port, 0 to 65535; PORT otherwise, else 8000. API_EXTERNAL_URL goes before.")
    var port: PortArgument?

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let local = LocalURL(
                host: environment["HOST"] ?? "127.0.0.1",
                port: port?.text ?? environment["PORT"] ?? "8000",
                isSecure: environment["TLS_CERT_FILE"] != nil
            )
            let url = port == nil ? environment["API_EXTERNAL_URL"] ?? local.description : local.description
            Terminal.say(try ConsoleLink.make(at: url, in: DatabaseSettings(environment).url))
        }
    }
}
