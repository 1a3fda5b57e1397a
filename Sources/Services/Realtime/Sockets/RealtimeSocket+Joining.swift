import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON

/// Channels that a client joins.
extension RealtimeSocket {
    /// Thousands that come back at once ask more of the database than it takes, and each waits for its turn, not longer than
    /// clients wait for an answer.
    private static let pauses: [Duration] = [
        .milliseconds(100), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(3),
    ]

    private static let patience = Duration.seconds(5)

    func join(_ message: ClientMessage) {
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

    func joinLater(_ message: ClientMessage, _ topic: String, _ configuration: JoinConfiguration) async {
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
        let entries = configuration.changes.map { ChangeEntry($0) }
        var pauses = Self.pauses[...]
        let start = ContinuousClock.now
        while true {
            do throws(ChangeFeedError) {
                let subscription = try await feed.subscribe(to: entries, as: user, after: configuration.changesSince) {
                    intake.push($0, $1)
                } reset: {
                    intake.reset()
                }
                return (subscription, "Subscribed to PostgreSQL", false)
            } catch {
                // Nothing else of the socket is read meanwhile.
                let isLate = ContinuousClock.now - start > Self.patience
                guard error.isTemporary, !isEnded, !isLate, let pause = pauses.popFirst() else {
                    return (nil, error.message, error.refusesJoin)
                }
                try? await Task.sleep(for: pause * Double.random(in: 0.5...1.5))
            }
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
}
