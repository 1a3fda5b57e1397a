import Logging
import SwiftletAuth
import SwiftletPostgres
import Synchronization

/// Broadcasts and presence between the servers of a database, which are signed.
///
/// A server that is alone sends nothing but one greeting. Others answer with who is present with them.
final class ServerBus: Sendable {
    private static let keyPause = Duration.seconds(1)

    let id: ServerID
    let hub: RoomHub
    let transport: any BusTransport
    let logger: Logger
    let state = Mutex(BusState())
    private let database: Database
    private let settings: RealtimeSettings
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    init(
        _ id: ServerID,
        _ database: Database,
        _ hub: RoomHub,
        _ settings: RealtimeSettings,
        _ transport: any BusTransport,
        _ logger: Logger
    ) {
        self.id = id
        self.database = database
        self.hub = hub
        self.settings = settings
        self.transport = transport
        self.logger = logger
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var statistics: BusStatistics {
        state.withLock { state in
            BusStatistics(peers: state.peers.count, isConnected: state.isReachable == true, lost: state.lostCount)
        }
    }

    var peerCount: Int { state.withLock(\.peers.count) }

    /// Called on any loop; quick.
    func send(_ deliveries: [RoomMessage], to target: ServerID? = nil) {
        guard peerCount > 0 else { return }
        send(deliveries.map { BusItem.delivery($0) }, to: target)
    }

    /// Until the task is cancelled.
    func run() async {
        guard let key = await readKey() else { return }
        hub.connect { [weak self] in self?.send($0) }
        await withTaskGroup { group in
            group.addTask { await self.transport.run(key) { [weak self] in self?.note($0) } }
            group.addTask { await self.beat() }
            for await _ in wake {
                await takeIncoming()
                await sendOutgoing()
            }
            group.cancelAll()
        }
    }

    /// Tells the others that nobody is present here any more, and then only what is broadcast. Takes a second at most.
    func sayGoodbye() async {
        state.withLock { $0.sayGoodbye(BusItem.bye.text) }
        guard peerCount > 0 else { return }
        await withTaskGroup { group in
            group.addTask { await self.sendOutgoing() }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    func send(_ items: [BusItem], to target: ServerID? = nil) {
        let said = items.map { (text: $0.text, isBroadcast: $0.isBroadcast) }
        state.withLock { $0.say(said, to: target) }
        waker.yield()
    }

    /// Tells a server that has missed it, or all of them, who is present here.
    func tellPresence(to server: ServerID? = nil) {
        send([.beat, .reset], to: server)
        hub.tellPresence { [weak self] in self?.send($0, to: server) }
    }

    /// What the servers sign with; nil when the task is cancelled.
    private func readKey() async -> String? {
        var hasWarned = false
        while !Task.isCancelled {
            do {
                if let key = try await database.query("SELECT key FROM swiftlet.realtime_key").first?["key"] {
                    let seal = BusSeal(try HMACKey(Secret(key)))
                    try await readClock()
                    state.withLock { $0.seal = seal }
                    return key
                }
            } catch {
                if !Task.isCancelled, !hasWarned {
                    hasWarned = true
                    logger.warning("other servers are not heard", metadata: ["cause": "\(error)"])
                }
            }
            try? await Task.sleep(for: Self.keyPause)
        }
        return nil
    }

    private func readClock() async throws {
        let rows = try await database.query(
            "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now"
        )
        guard let now = rows.first?["now"].flatMap({ Int($0) }) else { return }
        state.withLock { $0.set(BusClock(microseconds: now, readAt: .now)) }
    }

    private func note(_ event: BusEvent) {
        switch event {
        case .text(let sealed):
            // What nobody has signed takes no room from what the others say.
            guard let opened = state.withLock(\.seal)?.open(sealed, at: microseconds) else { return }
            state.withLock { $0.hear(opened) }
        case .connected:
            if state.withLock({ $0.connected() }) { logger.notice("this server and others hear each other again") }
        case .lost(let reason, let unwritten):
            if unwritten > 0 { state.withLock { $0.lose(unwritten) } }
            return lost(reason)
        }
        waker.yield()
    }

    func lost(_ reason: String) {
        guard state.withLock({ $0.disconnected() }) else { return }
        logger.warning("this server and others do not hear each other", metadata: ["cause": "\(reason)"])
    }

    /// Tells the others that this server is alive, and finds out who is not. Alone it reads the time once a minute.
    private func beat() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: settings.beatInterval)
            guard !Task.isCancelled else { return }
            for server in state.withLock({ $0.beat(silenceLimit: settings.silenceLimit) }) { hub.forget(server) }
            if peerCount > 0 { send([.beat]) } else if state.withLock(\.needsGreeting) { send([.hello]) }
            waker.yield()
            // While the database is away the last reading is good for days.
            if state.withLock(\.clock).isDue() { try? await readClock() }
        }
    }
}

/// Of one server's connection to the others.
struct BusStatistics: Sendable {
    /// Other servers that it hears.
    let peers: Int
    let isConnected: Bool
    /// Messages that did not get to the others, or from them.
    let lost: Int
}
