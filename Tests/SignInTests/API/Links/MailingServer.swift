import SwiftletTesting
import Testing

@testable import SignIn

/// Sign-in with a mailer, whose letters are in the log.
struct MailingServer: Sendable {
    let server: SignInServer
    private let log: LogRecord

    /// Servers of one database share a log, because either sends what the other was asked for.
    static func start(
        databaseURL: String? = nil,
        log: LogRecord = LogRecord(),
        _ change: (inout SignInSettings) -> Void = { _ in }
    ) async throws -> MailingServer {
        var mail = MailSettings(.log)
        mail.siteURL = "https://app.example"
        mail.externalURL = "https://api.example"
        return MailingServer(
            server: try await SignInServer.start(
                databaseURL: databaseURL,
                mail: mail,
                logger: log.logger,
                change
            ),
            log: log
        )
    }

    /// Another server of the same database.
    func startOther(_ change: (inout SignInSettings) -> Void) async throws -> MailingServer {
        try await Self.start(databaseURL: server.application.databaseURL, log: log, change)
    }

    /// The last letter's link and code.
    func letter() async throws -> (hash: String, code: String) {
        try await server.lettersAreSent()
        let line = try #require(log.text.split(separator: "\n").last { $0.contains(" mail code=") })
        let hash = try #require(line.firstMatch(of: #/token_hash=([A-Za-z0-9_\-]+)/#)?.1)
        let code = try #require(line.firstMatch(of: #/code=(\d{6})/#)?.1)
        return (String(hash), String(code))
    }

    var count: Int { log.text.split(separator: "\n").count { $0.contains(" mail code=") } }
}
