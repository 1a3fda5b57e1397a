import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// Sign-in with a mailer, whose emails are in the log.
struct MailingServer: StartedServer {
    let server: SignInServer
    private let log: LogRecord

    /// Servers of one database share a log, because either sends what the other was asked for.
    static func start(
        databaseURL: String? = nil,
        log: LogRecord = LogRecord(),
        redirects: [RedirectProvider] = [],
        _ change: (inout SignInSettings) -> Void = { _ in }
    ) async throws -> MailingServer {
        var mail = MailSettings(.log)
        mail.siteURL = "https://app.example"
        mail.externalURL = "https://api.example"
        return MailingServer(
            server: try await SignInServer.start(
                databaseURL: databaseURL,
                redirects: redirects,
                mail: mail,
                logger: log.logger,
                change
            ),
            log: log
        )
    }

    func stop() async { await server.stop() }

    /// Another server of the same database.
    func startOther(_ change: (inout SignInSettings) -> Void) async throws -> MailingServer {
        try await Self.start(databaseURL: server.application.databaseURL, log: log, change)
    }

    /// The last email's link and code.
    func message() async throws -> (hash: String, code: String) {
        try await server.emailsAreSent()
        let line = try #require(log.text.split(separator: "\n").last { $0.contains(" mail code=") })
        let hash = try #require(line.firstMatch(of: #/token_hash=([A-Za-z0-9_\-]+)/#)?.1)
        let code = try #require(line.firstMatch(of: #/code=(\d{6})/#)?.1)
        return (String(hash), String(code))
    }

    /// The hash in the last email to an address.
    func hash(to address: String) throws -> String {
        let line = try #require(lines(to: address).last { $0.contains("token_hash=") })
        return String(try #require(line.firstMatch(of: #/token_hash=([A-Za-z0-9_\-]+)/#)?.1))
    }

    /// The code in the last email to an address that has one.
    func code(to address: String) throws -> String {
        let codes = lines(to: address).compactMap { $0.firstMatch(of: #/code=(\d{6})/#)?.1 }
        return String(try #require(codes.last))
    }

    /// The link in the last email to an address.
    func link(to address: String) throws -> String {
        let links = lines(to: address).compactMap { $0.firstMatch(of: #/link=(\S+)/#)?.1 }
        return String(try #require(links.last))
    }

    /// The subjects of the emails to an address, oldest first.
    func subjects(to address: String) -> [String] {
        lines(to: address).compactMap { line in
            line.firstMatch(of: #/subject=(.*?) to=/#).map { String($0.1) }
        }
    }

    private func lines(to address: String) -> [Substring] {
        log.text.split(separator: "\n").filter { $0.contains("to=\(address)") }
    }

    var count: Int { log.text.split(separator: "\n").count { $0.contains(" mail code=") } }
}
