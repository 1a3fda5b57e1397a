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

    @Option(
        help: "The server's port, 0 to 65535; PORT otherwise, else 8000. CONSOLE_LISTEN and API_EXTERNAL_URL go before."
    )
    var port: PortArgument?

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let local = LocalURL(
                host: environment["HOST"] ?? "127.0.0.1",
                port: port?.text ?? environment["PORT"] ?? "8000",
                isSecure: environment["TLS_CERT_FILE"] != nil
            )
            let own = environment["CONSOLE_LISTEN"].flatMap(ConsoleConfiguration.Listen.init).map {
                LocalURL(host: $0.host, port: "\($0.port)", isSecure: environment["TLS_CERT_FILE"] != nil).description
            }
            let outside = own ?? environment["API_EXTERNAL_URL"] ?? local.description
            let url = port == nil ? outside : local.description
            Terminal.say(try ConsoleLink.make(at: url, in: DatabaseSettings(environment).url))
        }
    }
}
