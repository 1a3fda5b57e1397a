import SwiftletAuth
import SwiftletBytes
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON

/// One client: its messages to the channels that it has joined. Used on its loop only.
///
/// What has to wait for the database is done in ``task``, one thing after another; meanwhile nothing is received.
final class RealtimeSocket: WebSocketSession {
    static let topicPrefix = "realtime:"
    /// What a binary frame can say.
    static let maximumTopicBytes = 255

    let service: Realtime
    let version: WireVersion
    /// Whose key has opened the socket.
    let identity: ChannelIdentity
    let peer: any WebSocketPeer
    let rooms: LoopRooms
    var channels: [String: JoinedChannel] = [:]
    private var messageBudget: MessageBudget
    var joinBudget: MessageBudget
    var expiry: LoopTimer?
    var idleTimer: LoopTimer?
    var isEnded = false

    private var task: Task<Void, Never>?
    private var waitingWork: Work?

    /// What has to wait for the database.
    enum Work {
        case join(ClientMessage, topic: String, JoinConfiguration)
        case write(ClientMessage, JoinedChannel, ChannelExtension)
        case renew(String, JoinedChannel)
    }

    init(
        _ peer: any WebSocketPeer,
        _ version: WireVersion,
        _ identity: ChannelIdentity,
        _ service: Realtime,
        _ rooms: LoopRooms
    ) {
        self.peer = peer
        self.version = version
        self.identity = identity
        self.service = service
        self.rooms = rooms
        let settings = service.settings
        messageBudget = MessageBudget(settings.messagesPerSecond * 10, per: .seconds(10), at: rooms.loop.now)
        joinBudget = MessageBudget(settings.joinsPerSecond, per: .seconds(1), at: rooms.loop.now)
        startIdling()
    }

    var loop: EventLoop { rooms.loop }

    // MARK: - In

    func received(text: [UInt8]) {
        guard let message = ClientMessage(text: text, version) else { return }
        receive(message)
    }

    func received(binary: [UInt8]) {
        guard version == .arrays, let message = ClientMessage(binary: binary) else { return }
        receive(message)
    }

    func ended() {
        isEnded = true
        task?.cancel()
        expiry?.cancel()
        idleTimer?.cancel()
        for channel in channels.values { forget(channel) }
        service.hub.counters.socketClosed()
    }

    private func receive(_ message: ClientMessage) {
        service.hub.counters.messageReceived()
        if message.topic == "phoenix" {
            reply(message.event == "heartbeat" ? .done : .refused("unmatched topic"), to: message)
            return
        }
        guard messageBudget.take(at: loop.now) else { return refuseFlood(on: message.topic) }
        switch message.event {
        case "phx_join": join(message)
        case "phx_leave": leave(message)
        default:
            guard let channel = channels[message.topic] else {
                return reply(.refused("unmatched topic"), to: message)
            }
            take(message, channel)
        }
    }

    private func refuseFlood(on topic: String) {
        guard let channel = channels[topic] else { return }
        end(channel, "Too many messages per second")
    }

    // MARK: - Out

    func send(frame: [UInt8]) { peer.send(frame) }

    /// For topics that are joined or not.
    func reply(_ reply: Reply, to message: ClientMessage) {
        let answer = ServerMessage(
            joinRef: message.joinRef,
            ref: message.ref,
            topic: JSONText(quoting: message.topic),
            event: "phx_reply",
            payload: reply.payload
        )
        send(frame: answer.frame(version))
    }

    // MARK: - Leaving

    private func leave(_ message: ClientMessage) {
        guard let channel = channels[message.topic] else { return reply(.done, to: message) }
        // It is for a join that another one has replaced.
        if let joinRef = message.joinRef, joinRef != channel.joinRef { return reply(.done, to: message) }
        forget(channel)
        channel.reply(.done, to: message.ref)
        channel.pushClose()
    }

    /// Ends a channel on the server's own account.
    func end(_ channel: JoinedChannel, _ reason: String) {
        forget(channel)
        channel.pushSystem("system", isOK: false, reason)
        channel.pushClose()
    }

    func forget(_ channel: JoinedChannel) {
        guard channels[channel.topic] === channel else { return }
        channels[channel.topic] = nil
        untrack(channel)
        channel.changes?.close()
        rooms.leave(channel)
        if channels.isEmpty, !isEnded { startIdling() }
    }

    private func startIdling() {
        idleTimer?.cancel()
        idleTimer = loop.schedule(after: service.settings.idleTimeout) { [weak self] in
            self?.peer.close(.serviceRestart)
        }
    }

    // MARK: - What waits for the database

    func later(_ work: Work) {
        peer.pause()
        waitingWork = work
        let socket = LoopBound(self, on: loop)
        task = Task(executorPreference: loop) { await socket.value.perform() }
    }

    private func perform() async {
        switch waitingWork.take() {
        case .join(let message, let topic, let configuration): await joinLater(message, topic, configuration)
        case .write(let message, let channel, let kind):
            let isAllowed = await service.policies.mayWrite(kind, channel.room.topic, as: channel.user)
            if channels[channel.topic] === channel {
                switch kind {
                case .broadcast: channel.rights.writesBroadcasts = isAllowed
                case .presence: channel.rights.writesPresence = isAllowed
                }
                if !isEnded { take(message, channel) }
            }
        case .renew(let token, let channel): await renewLater(token, channel)
        case nil: break
        }
        guard !isEnded else { return }
        task = nil
        peer.resume()
    }
}
