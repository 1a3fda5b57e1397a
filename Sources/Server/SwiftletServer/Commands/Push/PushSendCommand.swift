import ArgumentParser
import SwiftletEssentials
import SwiftletEventLoop
import Logging
import SwiftletOutbound
import SwiftletPostgres
import SwiftletWeb

struct PushSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message now, and print what Apple or Google answers for each device.",
        discussion: """
            With the settings of the server: PUSH=real, and APNS_… or FCM_SERVICE_ACCOUNT_FILE. It ends with 1 unless a
            device has accepted the message. Nothing is stored.

            Examples:
              swiftlet push send --token 00fc13ad… --title Hello --body "It works."
              swiftlet push send --token cafe:42 --platform android --title Hello --body Hi --data screen=inbox
              swiftlet push send --user 5f0c… --title Hello --body "On all devices of a user."
            """
    )

    @Option(help: "The device's token, as Apple or Google has given it to the app.")
    var token: String?

    @Option(help: "A user's id: all devices that the app has registered with /push-tokens. Needs DATABASE_URL.")
    var user: String?

    @Option(help: "With --token: ios or android.")
    var platform = "ios"

    @Option(help: "With --token: production, or sandbox for apps that Xcode has installed.")
    var environment = "production"

    @Option(help: "With --token: the app's bundle id, if the server has several.")
    var app = ""

    @Option(help: "The message's title.")
    var title: String

    @Option(help: "The message's text.")
    var body: String

    @Option(help: ArgumentHelp("For the app, as often as needed.", valueName: "name=value"))
    var data: [String] = []

    func validate() throws {
        guard (token == nil) != (user == nil) else { throw ValidationError("Name either --token or --user.") }
        guard ["ios", "android"].contains(platform) else {
            throw ValidationError("--platform must be ios or android.")
        }
        guard ["production", "sandbox"].contains(environment) else {
            throw ValidationError("--environment must be production or sandbox.")
        }
        guard data.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
            throw ValidationError("--data must be name=value.")
        }
    }

    func run() async throws {
        try await Terminal.run {
            let environment = try Environment.current().withDevelopmentDefaults()
            let targets = try targets(environment)
            let group = try EventLoopGroup.start(count: 1)
            defer { group.stop() }
            var reader = SettingsReader(environment)
            let trust = Configuration.trust(&reader)
            let settings = PushSettings(&reader, mode: .serve)
            try reader.finish()
            let engine = HTTPEngine(group.loops, .services(trust: trust))
            guard let sender = settings.sender(Logger(label: "swiftlet"), engine) else {
                await engine.shutdown()
                throw CommandFailure("PUSH is off: set PUSH=real with APNS_… or FCM_SERVICE_ACCOUNT_FILE, or PUSH=log")
            }
            var answers: [PushResponse] = []
            for target in targets {
                let answer = await sender.send(message, to: target)
                Terminal.say("\(target.platform) \(target.token.prefix(12))…: \(answer.words)")
                answers.append(answer)
            }
            await engine.shutdown()
            guard answers.contains(.accepted) else { throw CommandFailure("no device has accepted the message") }
        }
    }

    private var message: PushMessage {
        var values: [String: String] = [:]
        for item in data {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            values[String(parts[0])] = String(parts[1])
        }
        return PushMessage(id: UUID().uuidString.lowercased(), title: title, body: body, data: values)
    }

    private func targets(_ settings: Environment) throws -> [PushTarget] {
        guard let user else {
            return [
                PushTarget(token: token ?? "", platform: platform, environment: environment, app: app, registered: 0)
            ]
        }
        let connection = try BlockingConnection.connect(to: DatabaseSettings(settings).url)
        guard try connection.query("SELECT to_regclass('push_tokens')").first?[0] != nil else {
            throw CommandFailure("the database has no table push_tokens: use --token")
        }
        let rows = try connection.query(
            """
            SELECT token, platform, environment, app, floor(extract(epoch FROM registered_at))::bigint
            FROM push_tokens WHERE user_id = $1 ORDER BY registered_at DESC
            """,
            [user]
        )
        guard !rows.isEmpty else { throw CommandFailure("the user has no device: the app calls POST /push-tokens") }
        return rows.map { row in
            PushTarget(
                token: row[0] ?? "",
                platform: row[1] ?? "",
                environment: row[2] ?? "",
                app: row[3] ?? "",
                registered: row[4].flatMap { Int($0) } ?? 0
            )
        }
    }
}

extension PushResponse {
    /// For people.
    var words: String {
        switch self {
        case .accepted: "accepted"
        case .unregistered(let reason): "not registered any more: \(reason)"
        case .refused(let reason): "refused: \(reason)"
        case .later(let reason): "not now: \(reason)"
        }
    }
}
