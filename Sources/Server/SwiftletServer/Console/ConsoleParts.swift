import SwiftletAuth
import SwiftletConsole
import SwiftletEssentials
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletPush
import SwiftletSignIn
import SwiftletWeb
import Synchronization

/// The console of a running server, on a loop and connections of its own: no request waits for an operator.
struct ConsoleParts: Sendable {
    let console: Console
    private let group: EventLoopGroup
    private let databases: [Database]
    private let history: MetricsHistory
    private let server: RunningServer

    /// The application that the console asks, which is made after it.
    final class RunningServer: Sendable {
        private let application = Mutex<Application?>(nil)

        func start(_ application: Application) { self.application.withLock { $0 = application } }

        func answer(_ request: Request) async -> Response {
            guard let application = application.withLock(\.self) else { return Response(status: .serviceUnavailable) }
            return await application.respond(to: request)
        }

        func metrics() async -> String { await application.withLock(\.self)?.metricsText() ?? "" }
    }

    /// Nil where there is none.
    static func make(
        _ configuration: Configuration,
        _ log: ServerLog,
        parts: ServerParts,
        environment: Environment,
        announceWork: @escaping @Sendable () -> Void
    ) throws -> ConsoleParts? {
        guard configuration.console.isOn else { return nil }
        let group = try EventLoopGroup.start(count: 1, poller: configuration.poller)
        let own = database(configuration.database.url, group)
        let statementURL = configuration.console.statementURL ?? configuration.database.url
        let statements = database(statementURL, group, connections: 4)
        let history = MetricsHistory()
        let server = RunningServer()
        var settings = ConsoleSettings()
        settings.isReadOnly = configuration.console.mode == .readOnly
        settings.hosts = configuration.console.hosts
        settings.isSecure = configuration.console.isSecure
        settings.version = Version.text
        settings.assetsFolder = configuration.console.assetsFolder
        settings.hasOwnRole = configuration.console.statementURL != nil
        if let signing = parts.signing { settings.issuer = { signing.issuer } }
        var signIn = configuration.signIn
        if signIn.externalURL == nil { signIn.externalURL = "http://localhost:\(configuration.port)" }
        settings.issuerName = signIn.issuer
        settings.logs = log.ring
        settings.metrics = history
        settings.configuration = configuration.summary.map { ($0.name, $0.value, $0.standard) }
        settings.announceWork = announceWork
        settings.functions = parts.functions
        settings.schema = { [database = parts.database] in database.schema }
        if configuration.mode == .development { settings.checksFile = AccessCheckFile.name }
        settings.maximumFileBytes = parts.storage.maximumBytes
        settings.sendPush = parts.push.sender.map(Self.trial)
        if let target = configuration.backups.target {
            let backups = ConsoleBackups(target: target, settings: configuration.backups)
            settings.backups = { try await backups.json }
        }
        settings.call = { await server.answer($0) }
        settings.examine = {
            await Doctor(environment).examine().map { ($0.grade.word, $0.subject, $0.text) }
        }
        return ConsoleParts(
            console: Console(database: own, statements: statements, settings: settings),
            group: group,
            databases: [own, statements],
            history: history,
            server: server
        )
    }

    func start(_ application: Application) {
        server.start(application)
        for database in databases { database.start() }
    }

    /// Takes samples of the counters until the task is cancelled.
    func observe() async {
        while !Task.isCancelled {
            history.add(await server.metrics(), at: ServerClock.system.milliseconds())
            try? await Task.sleep(for: MetricsHistory.interval)
        }
    }

    func shutdown() async {
        for database in databases { await database.shutdown() }
        group.stop()
    }

    private static func trial(
        _ sender: PushSender
    ) -> @Sendable (PushTrial) async -> (isAccepted: Bool, answer: String) {
        { trial in
            let message = PushMessage(
                id: UUID().uuidString.lowercased(),
                title: trial.title,
                body: trial.body
            )
            let target = PushTarget(
                token: trial.token,
                platform: trial.platform,
                environment: trial.environment,
                app: trial.app,
                registered: 0
            )
            let answer = await sender.send(message, to: target)
            return (answer == .accepted, answer.words)
        }
    }

    /// Connections that keep nothing of what an operator's statement has set or prepared.
    private static func database(_ url: String, _ group: EventLoopGroup, connections: Int = 2) -> Database {
        var settings = DatabaseConfiguration(url: url, connections: connections)
        settings.isPrepared = false
        return Database(configuration: settings, group: group) { _ in }
    }
}
