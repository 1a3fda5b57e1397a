import ArgumentParser
import SwiftletOutbound

struct HealthcheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "healthcheck",
        abstract: "Check that the server on this machine answers; for a container's HEALTHCHECK.",
        discussion: """
            Reads HOST, PORT and TLS_CERT_FILE as the server does. Exits with 0 if /health answers 200.

            Example:
              swiftlet healthcheck --port 8000
            """
    )

    @Option(
        help: "The server's port, 0 to 65535; PORT otherwise, else that of a swiftlet dev in this folder, else 8000."
    )
    var port: PortArgument?

    @Option(help: "The path to request: /health needs no database, /ready does.")
    var path = "/health"

    func run() async throws {
        try await Terminal.run(needsOutput: false) {
            let environment = try Environment.current().withDevelopmentDefaults()
            let server = LocalURL(
                host: environment["HOST"] ?? "127.0.0.1",
                port: port?.text ?? environment["PORT"] ?? "8000",
                isSecure: environment["TLS_CERT_FILE"] != nil
            )
            let url = "\(server)\(path)"
            // This is our own server; its certificate is issued for another name than HOST.
            var request = HTTPRequest("GET", url)
            request.timeout = .seconds(4)
            let answer: HTTPResponse
            do {
                answer = try await HTTPEngine.background(trust: .anyone).send(request)
            } catch {
                throw CommandFailure("\(url): \(error)")
            }
            guard answer.status == 200 else { throw CommandFailure("\(url): status \(answer.status)") }
            Terminal.say(answer.text)
        }
    }
}
