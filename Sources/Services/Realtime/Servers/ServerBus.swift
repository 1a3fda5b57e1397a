import Logging
import SwiftletAuth
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb
import Synchronization

/// Broadcasts and presence between the servers of a database, by its notifications, which are signed.
///
/// A server that is alone sends nothing but one greeting. Others answer with who is present with them.
final class ServerBus: Sendable {
    static let channel: StaticString = "swiftlet_realtime"
    /// PostgreSQL takes less than 8000.
    private static let maximumNotificationBytes = 7500 - BusSeal.maximumBytes
    /// What waits while PostgreSQL is away; then all of it is dropped.
    private static let maximumWaitingBytes = 16_777_216

    private let id: ServerID
    private let database: Database
    private let hub: RoomHub
    private let settings: RealtimeSettings
    private let logger: Logger
    private let state = Mutex(State())
    private let wake: AsyncStream<Void>
    private let waker: AsyncStream<Void>.Continuation

    private struct State {
        var peers: [ServerID: ContinuousClock.Instant] = [:]
        var outgoing: [(target: ServerID?, text: JSONText)] = []
        var outgoingBytes = 0
        var incoming: [String] = []
        var hasConnected = false
        /// nil until its key was read.
        var seal: BusSeal?
    }

    init(_ id: ServerID, _ database: Database, _ hub: RoomHub, _ settings: RealtimeSettings, _ logger: Logger) {
        self.id = id
        self.database = database
        self.hub = hub
        self.settings = settings
        self.logger = logger
        (wake, waker) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var peerCount: Int { state.withLock(\.peers.count) }

    /// Called on any loop; quick.
    func send(_ deliveries: [RoomMessage], to target: ServerID? = nil) {
        guard peerCount > 0 else { return }
        send(deliveries.map { BusItem.delivery($0) }, to: target)
    }

    /// Until the task is cancelled.
    func run() async {
        let listening = database.listen(to: Self.channel) { [weak self] text in
            self?.state.withLock { state in
                if let text { state.incoming.append(text) } else { state.hasConnected = true }
            }
            self?.waker.yield()
        }
        guard let listening else { return }
        hub.connect { [weak self] in self?.send($0) }
        await withTaskGroup { group in
            group.addTask { await self.beat() }
            for await _ in wake {
                await takeIncoming()
                await sendOutgoing()
            }
            group.cancelAll()
        }
        listening.close()
    }

    /// Tells the others that nobody is present here any more. Takes a second at most.
    func sayGoodbye() async {
        guard peerCount > 0 else { return }
        await withTaskGroup { group in
            group.addTask {
                self.send([.bye])
                await self.sendOutgoing()
            }
            group.addTask { try? await Task.sleep(for: .seconds(1)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func send(_ items: [BusItem], to target: ServerID? = nil) {
        let texts = items.map(\.text)
        state.withLock { state in
            for text in texts {
                state.outgoing.append((target, text))
                state.outgoingBytes += text.count
            }
            guard state.outgoingBytes > Self.maximumWaitingBytes else { return }
            // Whoever has missed some of it asks for all when it hears of this server again.
            state.outgoing = []
            state.outgoingBytes = 0
            state.peers = [:]
        }
        waker.yield()
    }

    // MARK: - In

    private func takeIncoming() async {
        let (texts, hasConnected) = state.withLock { state in
            defer {
                state.incoming = []
                state.hasConnected = false
            }
            return (state.incoming, state.hasConnected)
        }
        if hasConnected { send([.hello]) }
        guard await hasSeal() else { return }
        for sealed in texts {
            let now = ServerClock.system.milliseconds() * 1000
            guard let (number, text) = state.withLock({ $0.seal?.open(sealed, at: now) }),
                let value = try? JSONParser.parse(Array(text.utf8)), let sender = value["from"]?.string, sender != id,
                value["to"].map({ $0.string == id }) ?? true
            else { continue }
            guard state.withLock({ $0.seal?.take(number, from: sender, at: now) }) == true else { continue }
            await take(value["items"]?.array ?? [], from: sender, isForAll: value["to"] == nil)
        }
    }

    private func take(_ items: [JSONValue], from sender: ServerID, isForAll: Bool) async {
        let isNew = state.withLock { state in
            defer { state.peers[sender] = .now }
            return state.peers[sender] == nil
        }
        let items = items.compactMap { BusItem($0) }
        var deliveries: [RoomMessage] = []
        var isGreeted = false
        for item in items {
            switch item {
            case .hello:
                isGreeted = true
                greet(sender)
                if isNew { send([.ask], to: sender) }
            case .ask: greet(sender)
            case .delivery(let delivery): deliveries.append(delivery)
            case .beat: break
            case .reset:
                hub.receive(deliveries)
                deliveries = []
                hub.forget(sender)
            case .bye:
                state.withLock { $0.peers[sender] = nil }
                hub.receive(deliveries)
                return hub.forget(sender)
            case .parcel(let number):
                hub.receive(deliveries)
                deliveries = []
                await unpack(number, from: sender)
            }
        }
        hub.receive(deliveries)
        // It was there before we knew, or was given up.
        if isNew, !isGreeted, isForAll { send([.ask], to: sender) }
    }

    /// Tells a server that has missed it who is present here.
    private func greet(_ server: ServerID) {
        send([.beat, .reset], to: server)
        hub.tellPresence { [weak self] in self?.send($0, to: server) }
    }

    private func unpack(_ number: Int, from sender: ServerID) async {
        let sql: SQL = "SELECT content FROM swiftlet.realtime_parcels WHERE id = \(number)"
        guard let rows = try? await database.query(sql), let content = rows.first?["content"],
            let items = try? JSONParser.parse(Array(content.utf8)).array
        else { return }
        hub.receive(
            items.compactMap { item in
                if case .delivery(let delivery) = BusItem(item) { delivery } else { nil }
            }
        )
    }

    // MARK: - Out

    private func sendOutgoing() async {
        while true {
            let items = state.withLock { state in
                defer {
                    state.outgoing = []
                    state.outgoingBytes = 0
                }
                return state.outgoing
            }
            guard !items.isEmpty else { return }
            do {
                try await notify(items)
            } catch {
                if Task.isCancelled { return }
                logger.warning("other servers miss messages", metadata: ["cause": "\(error)"])
                return
            }
        }
    }

    /// False while the key cannot be read: then nothing is sent, and nothing taken.
    private func hasSeal() async -> Bool {
        if state.withLock({ $0.seal != nil }) { return true }
        do {
            let rows = try await database.query("SELECT key FROM swiftlet.realtime_key")
            guard let key = rows.first?["key"] else { return false }
            let seal = BusSeal(try HMACKey(Secret(key)))
            state.withLock { if $0.seal == nil { $0.seal = seal } }
            return true
        } catch {
            if !Task.isCancelled {
                logger.warning("other servers are not heard", metadata: ["cause": "\(error)"])
            }
            return false
        }
    }

    private func sealed(_ texts: [String]) -> [String] {
        let now = ServerClock.system.milliseconds() * 1000
        return state.withLock { state in texts.compactMap { state.seal?.seal($0, at: now) } }
    }

    private func notify(_ items: [(target: ServerID?, text: JSONText)]) async throws {
        guard await hasSeal() else { return }
        var texts: [String] = []
        var pack = Pack(from: id)
        for (target, text) in items {
            var text = text
            if text.count > Self.maximumNotificationBytes - Pack.framingBytes {
                text = try await parcel(text)
            }
            if !pack.isEmpty, pack.target != target || pack.count + text.count > Self.maximumNotificationBytes {
                texts.append(pack.finish())
                pack = Pack(from: id)
            }
            pack.add(text, to: target)
        }
        texts.append(pack.finish())
        texts = sealed(texts)
        // One transaction: PostgreSQL delivers them in this order.
        try await database.query(
            "SELECT pg_notify(\(Self.channel.description), text) FROM unnest(\(texts)::text[]) AS text"
        )
    }

    private func parcel(_ text: JSONText) async throws -> JSONText {
        let content = "[" + String(decoding: text, as: UTF8.self) + "]"
        let rows = try await database.query(
            """
            WITH old AS (DELETE FROM swiftlet.realtime_parcels WHERE made_at < now() - interval '1 minute') \
            INSERT INTO swiftlet.realtime_parcels (content) VALUES (\(content)) RETURNING id
            """
        )
        let number = try rows.first?.decode(Int.self, "id") ?? 0
        return BusItem.parcel(number).text
    }

    // MARK: - Time

    /// Tells the others that this server is alive, and finds out who is not. Alone it does nothing.
    private func beat() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: settings.beatInterval)
            guard !Task.isCancelled else { return }
            let limit = ContinuousClock.now.advanced(by: settings.beatInterval * -3)
            let gone = state.withLock { state in
                let gone = state.peers.filter { $0.value < limit }.map(\.key)
                for server in gone { state.peers[server] = nil }
                return gone
            }
            for server in gone { hub.forget(server) }
            if peerCount > 0 { send([.beat]) }
        }
    }
}

/// `{"from": …, "to"?: …, "items": […]}`
private struct Pack {
    static let framingBytes = 160

    let sender: ServerID
    private(set) var target: ServerID?
    private var items: JSONText = []

    init(from sender: ServerID) { self.sender = sender }

    var isEmpty: Bool { items.isEmpty }
    var count: Int { items.count + Self.framingBytes }

    mutating func add(_ item: JSONText, to target: ServerID?) {
        if !items.isEmpty { items += "," }
        items += item
        self.target = target
    }

    func finish() -> String {
        let addressee = target.map { #","to":"\#($0)""# } ?? ""
        return #"{"from":"\#(sender)"\#(addressee),"items":[\#(String(decoding: items, as: UTF8.self))]}"#
    }
}
