import SwiftletAuth
import SwiftletBytes
import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletOutbound
import SwiftletPostgres
import SwiftletRealtime
import SwiftletSignIn
import SwiftletStorage
import SwiftletWeb
import SwiftletWebhooks

/// What a server is assembled from, begun in the order in which it depends on itself.
struct ServerParts: Sendable {
    let functions: [Function]
    let configuration: Configuration
    let log: ServerLog
    /// nil where none are made.
    let backups: ScheduledBackup?
    /// nil if this server issues no tokens.
    let signing: SigningKeys?
    let verifier: TokenVerifier
    let keys: PublicKeys
    let group: EventLoopGroup
    let database: Database
    /// nil where the primary takes all reads.
    let replicas: ReplicaReads?
    let databaseLog: DatabaseLog
    /// For the calls of functions.
    let http: HTTPEngine
    /// For the server's own calls.
    let services: HTTPEngine
    let posts: HTTPEngine
    /// nil where none are recorded.
    let traces: Traces?
    let storage: ObjectStorage
    let push: PushSource
    let statistics = StatisticsSource()
    let changes: RowChanges
    /// nil where it is off.
    let realtime: Realtime?

    init(_ functions: [Function], _ configuration: Configuration, _ log: ServerLog) throws {
        self.functions = functions
        self.configuration = configuration
        self.log = log
        backups = ScheduledBackup(configuration)
        verifier = try Self.verifier(configuration.tokens)
        let verifier = verifier
        let others = configuration.tokens.keysInRotation(log.logger)
        // Only this keeps the key, as SIGHUP replaces it.
        signing = try configuration.tokens.signingKey().map {
            try SigningKeys($0, beside: others, verifier: verifier)
        }
        try PublicKeys.readFiles(configuration.tokens, into: verifier)
        group = try Self.loops(configuration)
        databaseLog = DatabaseLog(log.logger)
        database = Self.database(configuration.database, group, databaseLog)
        replicas = try Self.replicas(configuration, of: database, group, signing, log)
        http = HTTPEngine(group.loops, configuration.http)
        services = HTTPEngine(group.loops, .services(trust: configuration.trust))
        posts = HTTPEngine(group.loops, .webhooks(configuration.webhooks, trust: configuration.trust))
        let (logger, services) = (log.logger, services)
        traces = configuration.traces.map { settings in
            Traces(settings, services) { logger.warning("traces were dropped", metadata: ["cause": "\($0)"]) }
        }
        storage = configuration.storage.open()
        push = PushSource(configuration.push, log.logger, services)
        keys = PublicKeys(configuration.tokens, for: verifier, signing, services, log.logger)
        changes = RowChanges(configuration.changes, database: database, on: group.loops[0], logger: log.logger)
        realtime = Self.realtime(configuration, database, group, verifier, keys, changes, log)
    }

    func shutdown() async {
        await traces?.exporter.finish()
        await http.shutdown()
        await services.shutdown()
        await posts.shutdown()
        await replicas?.set.shutdown()
        await database.shutdown()
        group.stop()
    }

    private static func verifier(_ tokens: TokenSettings) throws -> TokenVerifier {
        try TokenVerifier(
            secret: tokens.secret,
            anonymousKey: tokens.anonymousKey,
            serviceKey: tokens.serviceKey,
            issuers: tokens.issuers.map(\.trusted),
            requiresExpiry: tokens.requiresExpiry,
            clock: { Double(ServerClock.system.milliseconds()) / 1000 }
        )
    }

    private static func loops(_ configuration: Configuration) throws -> EventLoopGroup {
        do {
            return try EventLoopGroup.start(count: configuration.workers, poller: configuration.poller)
        } catch {
            throw ConfigurationError(["\(configuration.workers) event loops cannot be started: \(error)"])
        }
    }

    private static func database(
        _ database: DatabaseSettings,
        _ group: EventLoopGroup,
        _ databaseLog: DatabaseLog
    ) -> Database {
        var settings = DatabaseConfiguration(url: database.url, connections: database.connections)
        settings.isPrepared = database.isPrepared
        settings.directURL = database.directURL
        return Database(configuration: settings, group: group) { databaseLog.record($0) }
    }

    private static func replicas(
        _ configuration: Configuration,
        of database: Database,
        _ group: EventLoopGroup,
        _ signing: SigningKeys?,
        _ log: ServerLog
    ) throws -> ReplicaReads? {
        let settings = configuration.database
        guard !settings.replicas.isEmpty else { return nil }
        var limits = ReplicaSetState.Limits()
        limits.lag = settings.replicaLag
        let set = ReplicaSet(
            settings.replicas.map { url in
                var replica = DatabaseConfiguration(url: url, connections: settings.connections)
                replica.isPrepared = settings.isPrepared
                return replica
            },
            of: database,
            group: group,
            limits: limits
        ) { [logger = log.logger] event in
            let isWorse = event.to != .following && event.to != .unknown
            logger.log(
                level: isWorse ? .warning : .info,
                "replica",
                metadata: [
                    "replica": "\(event.replica)", "from": "\(event.from.rawValue)", "to": "\(event.to.rawValue)",
                ]
            )
        }
        // A server that issues no tokens shares the password of the database with the others. A position is no right: one
        // with another key's signature is read at the primary, so that this key may stay until the restart.
        let shared = Hexadecimal.encode(try MessageDigest.sha256(Array(settings.url.utf8)))
        let secret = signing?.secrets.first ?? Secret(shared)
        return try ReplicaReads(set, secret: secret)
    }

    private static func realtime(
        _ configuration: Configuration,
        _ database: Database,
        _ group: EventLoopGroup,
        _ verifier: TokenVerifier,
        _ keys: PublicKeys,
        _ changes: RowChanges,
        _ log: ServerLog
    ) -> Realtime? {
        configuration.realtime.map { settings in
            Realtime(
                database: database,
                authentication: Authentication(verifier: verifier, refreshKeys: { await keys.refresh($0) }),
                loops: group.loops,
                settings: settings,
                changes: changes.hub,
                logger: log.logger,
                clock: { Double(ServerClock.system.milliseconds()) / 1000 }
            )
        }
    }
}
