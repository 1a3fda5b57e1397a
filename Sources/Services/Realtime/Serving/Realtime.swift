package import Logging
import SwiftletAuth
package import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON
package import SwiftletPostgres
package import SwiftletWeb

/// `/realtime/v1`: channels with broadcast and presence, as the clients of Supabase know them.
package final class Realtime: Sendable {
    let authentication: Authentication
    let settings: RealtimeSettings
    let policies: ChannelPolicies
    /// nil where no row changes are published.
    let changes: (any ChangeFeed)?
    let hub: RoomHub
    /// Seconds since 1970.
    let clock: @Sendable () -> Double
    /// Of this server, from its start to its end.
    var id: ServerID { hub.server }
    let messages: StoredMessages
    private let broadcasts: DatabaseBroadcasts
    private let bus: ServerBus
    private let partitions: MessagePartitions

    /// Serves sockets on any of the loops.
    package init(
        database: Database,
        authentication: Authentication,
        loops: [EventLoop],
        settings: RealtimeSettings = RealtimeSettings(),
        changes: (any ChangeFeed)? = nil,
        logger: Logger,
        clock: @escaping @Sendable () -> Double
    ) {
        self.authentication = authentication
        self.settings = settings
        self.changes = changes
        self.clock = clock
        policies = ChannelPolicies(database: database)
        let id = RealtimeIdentifier.make()
        hub = RoomHub(loops, settings, server: id)
        messages = StoredMessages(database: database)
        broadcasts = DatabaseBroadcasts(database, hub, logger)
        bus = ServerBus(id, database, hub, settings, Self.transport(settings, database, loops), logger)
        partitions = MessagePartitions(database: database)
        // Who has signed out, or is banned or deleted, hears no more of a channel that was joined before.
        authentication.verifier.observeEnded { [hub, verifier = authentication.verifier] in
            hub.end(TokenError.ended.channelText) { verifier.hasEnded($0) }
        }
    }

    private static func transport(
        _ settings: RealtimeSettings,
        _ database: Database,
        _ loops: [EventLoop]
    ) -> any BusTransport {
        guard let address = settings.bus, let loop = loops.first else { return PostgresTransport(database: database) }
        return RedisTransport(address, on: loop)
    }

    /// Listens to the database and to other servers, until the task is cancelled.
    package func run() async {
        await withTaskGroup { group in
            group.addTask { await self.broadcasts.run() }
            group.addTask { await self.bus.run() }
            group.addTask { await self.partitions.run() }
        }
    }

    /// Tells other servers that this one ends. Takes a second at most.
    package func sayGoodbye() async { await bus.sayGoodbye() }

    /// How many other servers there are on the database.
    package var peerCount: Int { bus.peerCount }

    package var statistics: RealtimeStatistics {
        let bus = bus.statistics
        var statistics = hub.counters.values
        (statistics.peers, statistics.isBusConnected, statistics.lost) = (bus.peers, bus.isConnected, bus.lost)
        return statistics
    }

    /// Handlers check their callers themselves, with Supabase's errors.
    @FunctionBuilder package var routes: [FunctionPart] {
        Get("/v1/websocket", openSocket)
        let broadcasts = BroadcastRoutes(authentication, policies, hub, settings)
        Post("/v1/api/broadcast", broadcasts.sendBatch)
        Post("/v1/api/broadcast/:topic/events/:event", broadcasts.send)
    }

    package var function: Function {
        Function("realtime") { routes }.keepingDates().checkedByHandlers().unlisted()
    }

    // MARK: - Callers

    func verify(_ token: String) -> Result<User, TokenError> {
        authentication.verify(token: token).flatMap(ChannelCaller.admit)
    }

    func identify(_ token: String) async -> Result<User, TokenError> {
        await authentication.identify(token: token).flatMap(ChannelCaller.admit)
    }

    /// Whether the session or the account has ended since its token was verified.
    func hasEnded(_ user: User) -> Bool { authentication.verifier.hasEnded(user) }

    // MARK: - Sockets

    @Sendable private func openSocket(_ request: Request, _ context: Context) async throws -> Response {
        guard let version = WireVersion(request.query["vsn"]) else { return Response(status: .forbidden) }
        let key = request.header("x-api-key") ?? request.query["apikey"] ?? request.header("apikey") ?? ""
        let user: User
        switch await identify(key) {
        case .success(let found): user = found
        case .failure(let error): return try await refuse(.unauthorized, error.socketText)
        }
        let accept: String
        do throws(WebSocketHandshake.Fault) {
            accept = try WebSocketHandshake.accept(request)
        } catch {
            var response = Response.realtimeError(426, "A WebSocket handshake is needed")
            response.headers.append("Upgrade", "websocket")
            return response
        }
        guard hub.counters.values.sockets < settings.maximumSockets else {
            return try await refuse(.tooManyRequests, "Too many connected users")
        }
        let identity = ChannelIdentity(user: user, token: key)
        var response = Response(status: .switchingProtocols)
        response.upgrade = WebSocketUpgrade(accept: accept) { peer in
            guard let rooms = self.hub.current, self.hub.counters.socketOpened(maximum: self.settings.maximumSockets)
            else {
                peer.close(.tryAgainLater)
                return ClosedSession()
            }
            return RealtimeSocket(peer, version, identity, self, rooms)
        }
        return response
    }

    /// Clients try again at once, so they wait here.
    private func refuse(_ status: Status, _ reason: String) async throws -> Response {
        try await Task.sleep(for: settings.refusalDelay)
        return .realtimeError(status, reason)
    }
}

/// Of a socket that is closed at once.
private final class ClosedSession: WebSocketSession {
    func received(text: [UInt8]) {}
    func received(binary: [UInt8]) {}
    func ended() {}
}
