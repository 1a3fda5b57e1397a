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
    private let peer: any WebSocketPeer
    let rooms: LoopRooms
    var channels: [String: JoinedChannel] = [:]
    private var messageBudget: MessageBudget
    private var joinBudget: MessageBudget
    private var expiry: LoopTimer?
    private var idleTimer: LoopTimer?
    private var isEnded = false

    private var task: Task<Void, Never>?
    private var waitingWork: Work?

    /// What has to wait for the database.
    private enum Work {
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

    static func makeIdentifier() -> String {
        let random = RandomBytes.identifier()
        return UUIDText.text(random.0 & ~0xF000 | 0x4000, random.1 & ~(3 << 62) | 1 << 63)
    }

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

    // MARK: - Joining

    private func join(_ message: ClientMessage) {
        guard joinBudget.take(at: loop.now) else {
            reply(.refused("ClientJoinRateLimitReached: Too many joins per second"), to: message)
            return peer.close(.tryAgainLater)
        }
        guard message.topic.hasPrefix(Self.topicPrefix) else { return reply(.refused("unmatched topic"), to: message) }
        let topic = String(message.topic.dropFirst(Self.topicPrefix.count))
        guard !topic.isEmpty else { return refuse(message, "TopicNameRequired: You must provide a topic name") }
        guard message.topic.utf8.count <= Self.maximumTopicBytes else {
            return refuse(message, "TopicTooLong: A topic has \(Self.maximumTopicBytes) bytes at most")
        }
        guard case .json(let payload) = message.content else { return }
        if let old = channels[message.topic] {
            forget(old)
            old.pushClose()
        }
        guard channels.count < service.settings.maximumChannels else {
            return refuse(message, "ChannelRateLimitReached: Too many channels")
        }
        let configuration = JoinConfiguration(payload)
        guard !configuration.isPrivate, configuration.changes.isEmpty, configuration.replay == nil else {
            return later(.join(message, topic: topic, configuration))
        }
        guard let token = configuration.token ?? identity.token else {
            return joined(message, topic, configuration, identity, .all)
        }
        switch service.verify(token) {
        case .success(let user):
            joined(message, topic, configuration, ChannelIdentity(user: user, token: token), .all)
        case .failure(.unknownKey): later(.join(message, topic: topic, configuration))
        case .failure(let error): refuse(message, error.joinRefusal)
        }
    }

    private func joinLater(_ message: ClientMessage, _ topic: String, _ configuration: JoinConfiguration) async {
        if let replay = configuration.replay {
            guard configuration.isPrivate else {
                return refuse(message, "UnableToReplayMessages: Replay is not allowed for public channels")
            }
            guard replay != .invalid else {
                return refuse(message, "UnableToReplayMessages: Replay params are not valid")
            }
        }
        var identity = identity
        if let token = configuration.token ?? identity.token {
            switch await service.identify(token) {
            case .success(let user): identity = ChannelIdentity(user: user, token: token)
            case .failure(let error): return refuse(message, error.joinRefusal)
            }
        }
        var rights = ChannelRights.all
        if configuration.isPrivate {
            switch await service.policies.read(topic, as: identity.user) {
            case .success(let read): rights = read
            case .failure: return refuse(message, "Unknown Error on Channel")
            }
            guard rights.readsBroadcasts || rights.readsPresence else {
                return refuse(
                    message,
                    "Unauthorized: You do not have permissions to read from this Channel topic: \(topic)"
                )
            }
        }
        let intake = ChangeIntake()
        let changes = await subscribe(configuration, identity.user, intake)
        guard !isEnded else { return changes.subscription?.close() ?? () }
        if changes.refusesJoin { return refuse(message, changes.message ?? "") }
        joined(message, topic, configuration, identity, rights, position: changes.subscription?.start)
        guard let channel = channels[message.topic] else { return changes.subscription?.close() ?? () }
        channel.changes = changes.subscription
        if case .wanted(let since, let limit) = configuration.replay, rights.readsBroadcasts {
            channel.holdBack()
            let found = try? await service.messages.replay(topic, since: since, limit: limit)
            channel.replay(found ?? [])
        }
        intake.open(to: channel)
        if let message = changes.message {
            channel.pushSystem("postgres_changes", isOK: changes.subscription != nil, message)
        }
    }

    /// Before the answer, so that no change is lost behind it.
    private func subscribe(
        _ configuration: JoinConfiguration,
        _ user: User,
        _ intake: ChangeIntake
    ) async -> (subscription: (any ChangeSubscription)?, message: String?, refusesJoin: Bool) {
        guard !configuration.changes.isEmpty else { return (nil, nil, false) }
        guard let feed = service.changes else { return (nil, "This server publishes no changes of rows", false) }
        do throws(ChangeFeedError) {
            let entries = configuration.changes.map { ChangeEntry($0) }
            let subscription = try await feed.subscribe(to: entries, as: user, after: configuration.changesSince) {
                intake.push($0, $1)
            } reset: {
                intake.reset()
            }
            return (subscription, "Subscribed to PostgreSQL", false)
        } catch {
            return (nil, error.message, error.refusesJoin)
        }
    }

    private func joined(
        _ message: ClientMessage,
        _ topic: String,
        _ configuration: JoinConfiguration,
        _ identity: ChannelIdentity,
        _ rights: ChannelRights,
        position: String? = nil
    ) {
        // It may have ended while the database was asked.
        guard !service.hasEnded(identity.user) else {
            return refuse(message, TokenError.ended.joinRefusal)
        }
        let channel = JoinedChannel(self, topic: topic, message, configuration, identity, rights)
        channels[message.topic] = channel
        idleTimer?.cancel()
        rooms.join(channel)
        let entries = configuration.changes.map { ChangeEntry.echo($0) }
        var response: JSONObject = ["postgres_changes": .array(entries)]
        response["pos"] = position.map { .string($0) }
        channel.reply(.ok(JSONText(.object(response))), to: message.ref)
        if channel.receivesPresence { channel.push("presence_state", rooms.presence(in: channel.room).state) }
        armExpiry()
    }

    private func refuse(_ message: ClientMessage, _ reason: String) {
        service.hub.counters.joinRefused()
        _ = loop.schedule(after: service.settings.refusalDelay) { [weak self] in
            guard let self, !self.isEnded else { return }
            self.reply(.refused(reason), to: message)
        }
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

    private func forget(_ channel: JoinedChannel) {
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

    // MARK: - In a channel

    private func take(_ message: ClientMessage, _ channel: JoinedChannel) {
        switch message.event {
        case "broadcast": broadcast(message, channel)
        case "presence": changePresence(message, channel)
        case "access_token": renew(message, channel)
        default: break
        }
    }

    private func broadcast(_ message: ClientMessage, _ channel: JoinedChannel) {
        switch channel.rights.writesBroadcasts {
        case nil: return later(.write(message, channel, .broadcast))
        // Nobody is told.
        case false?: return
        case true?: break
        }
        let broadcast: Broadcast
        let count: Int
        switch message.content {
        case .json(let payload):
            guard payload.isJSONObject else { return }
            count = payload.count
            broadcast = .text(payload)
        case .broadcast(let binary):
            count = binary.payload.count
            broadcast = .binary(binary)
        }
        let acknowledges = channel.configuration.acknowledgesBroadcasts
        guard count <= service.settings.maximumPayloadBytes else {
            if acknowledges { channel.reply(.refused("payload_size_exceeded"), to: message.ref) }
            return
        }
        rooms.publish(
            Delivery(room: channel.room, content: .broadcast(broadcast)),
            from: channel.configuration.receivesOwnBroadcasts ? nil : channel
        )
        if acknowledges { channel.reply(.done, to: message.ref) }
    }

    private func changePresence(_ message: ClientMessage, _ channel: JoinedChannel) {
        guard case .json(let payload) = message.content, let payload = try? JSONParser.parse(payload) else { return }
        let event = payload["event"]?.string?.lowercased()
        if event == "track", channel.rights.writesPresence == nil { return later(.write(message, channel, .presence)) }
        guard channel.presenceBudget.take(at: loop.now) else {
            return end(channel, "Client presence rate limit exceeded")
        }
        switch event {
        case "untrack":
            channel.reply(.done, to: message.ref)
            untrack(channel)
        case "track":
            guard channel.rights.writesPresence == true else {
                let reason = "You do not have permissions to write to this Channel topic: \(channel.room.topic)"
                return channel.reply(.refused(reason), to: message.ref)
            }
            track(payload["payload"] ?? .object([:]), channel, answering: message.ref)
        default: channel.reply(.refused("Unknown presence event"), to: message.ref)
        }
    }

    private func track(_ payload: JSONValue, _ channel: JoinedChannel, answering ref: JSONText) {
        guard let payload = payload.object else {
            return channel.reply(.refused("Presence track payload must be a map"), to: ref)
        }
        if !channel.isPresenceEnabled {
            channel.isPresenceEnabled = true
            if channel.receivesPresence { channel.push("presence_state", rooms.presence(in: channel.room).state) }
        }
        let old = channel.presence
        if let old, old.payload == payload { return channel.reply(.done, to: ref) }
        let tracked = TrackedPresence(key: channel.presenceKey, payload: payload, previous: old)
        guard rooms.presence(in: channel.room).byteCount + tracked.meta.count <= service.settings.maximumPresenceBytes
        else { return channel.reply(.refused("The presence of this Channel topic is too large"), to: ref) }
        channel.reply(.done, to: ref)
        channel.presence = tracked
        var changes: [PresenceChange] = old.map { [.leave(key: $0.key, ref: $0.ref)] } ?? []
        changes.append(.join(key: tracked.key, ref: tracked.ref, meta: tracked.meta, server: service.id))
        rooms.publish(Delivery(room: channel.room, content: .presence(changes)))
    }

    private func untrack(_ channel: JoinedChannel) {
        guard let tracked = channel.presence.take() else { return }
        let change = PresenceChange.leave(key: tracked.key, ref: tracked.ref)
        rooms.publish(Delivery(room: channel.room, content: .presence([change])))
    }

    // MARK: - Tokens

    private func renew(_ message: ClientMessage, _ channel: JoinedChannel) {
        guard case .json(let payload) = message.content, let payload = try? JSONParser.parse(payload),
            let token = JoinConfiguration.token(payload["access_token"]), token != (channel.token ?? identity.token)
        else { return }
        if channel.room.isPrivate || channel.changes != nil { return later(.renew(token, channel)) }
        switch service.verify(token) {
        case .success(let user): renewed(channel, user, token, .all)
        case .failure(.unknownKey): later(.renew(token, channel))
        case .failure(let error): end(channel, error.channelText)
        }
    }

    private func renewLater(_ token: String, _ channel: JoinedChannel) async {
        let user: User
        switch await service.identify(token) {
        case .success(let found): user = found
        case .failure(let error): return end(channel, error.channelText)
        }
        var rights = ChannelRights.all
        if channel.room.isPrivate {
            switch await service.policies.read(channel.room.topic, as: user) {
            case .success(let read): rights = read
            case .failure: return end(channel, "Unknown Error on Channel")
            }
            guard rights.readsBroadcasts || rights.readsPresence else {
                let topic = channel.room.topic
                return end(channel, "You no longer have permission to read from this Channel topic: \(topic)")
            }
        }
        renewed(channel, user, token, rights)
    }

    private func renewed(_ channel: JoinedChannel, _ user: User, _ token: String, _ rights: ChannelRights) {
        guard channels[channel.topic] === channel else { return }
        guard !service.hasEnded(user) else { return end(channel, TokenError.ended.channelText) }
        channel.user = user
        channel.token = token
        channel.rights = rights
        channel.changes?.renew(as: user)
        armExpiry()
    }

    /// One timer for the channel whose token expires first.
    private func armExpiry() {
        expiry?.cancel()
        expiry = nil
        guard let first = channels.values.compactMap(\.user.expires).min() else { return }
        let seconds = max(0, min(first - service.clock(), 86_400))
        expiry = loop.schedule(after: .milliseconds(Int64(seconds * 1000) + 1)) { [weak self] in self?.expire() }
    }

    private func expire() {
        let now = service.clock()
        for channel in channels.values {
            guard let expires = channel.user.expires, expires <= now else { continue }
            end(channel, "Token has expired \(Int(now - expires)) seconds ago")
        }
        armExpiry()
    }

    // MARK: - What waits for the database

    private func later(_ work: Work) {
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
