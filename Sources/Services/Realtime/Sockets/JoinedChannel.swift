import SwiftletAuth
import SwiftletEventLoop
import SwiftletJSON

/// One topic that a socket has joined. Used on the socket's loop only.
final class JoinedChannel: RoomMember {
    private unowned let socket: RealtimeSocket
    /// With `realtime:`.
    let topic: String
    let room: RoomName
    let version: WireVersion
    let joinRef: JSONText
    let configuration: JoinConfiguration
    /// The topic in quotes.
    private let quotedTopic: JSONText

    /// Its index among the members of its room on this loop.
    var position = 0
    var user: User
    /// The token that it has its user from; nil for the socket's own.
    var token: String?
    var rights: ChannelRights
    var presence: TrackedPresence?
    var isPresenceEnabled: Bool
    var presenceBudget: MessageBudget
    let presenceKey: String
    var changes: (any ChangeSubscription)?
    /// What comes while earlier broadcasts are read, with the ids of their rows.
    private var heldBack: [(id: String?, frame: [UInt8])]?
    private var replayedIDs: Set<String> = []

    init(
        _ socket: RealtimeSocket,
        topic: String,
        _ message: ClientMessage,
        _ configuration: JoinConfiguration,
        _ identity: ChannelIdentity,
        _ rights: ChannelRights
    ) {
        self.socket = socket
        self.topic = message.topic
        room = RoomName(topic: topic, isPrivate: configuration.isPrivate)
        version = socket.version
        joinRef = message.joinRef ?? message.ref
        self.configuration = configuration
        quotedTopic = JSONText(quoting: message.topic)
        user = identity.user
        token = identity.token
        self.rights = rights
        isPresenceEnabled = configuration.isPresenceEnabled
        presenceKey = configuration.presenceKey ?? RealtimeIdentifier.make()
        presenceBudget = MessageBudget(socket.service.settings.presenceCalls, per: .seconds(30), at: socket.loop.now)
    }

    var receivesPresence: Bool { isPresenceEnabled && rights.readsPresence }

    func send(frame: [UInt8]) { socket.send(frame: frame) }

    func sendBroadcast(_ frame: [UInt8], _ id: String?) {
        if heldBack != nil {
            heldBack?.append((id, frame))
        } else if id.map({ !replayedIDs.contains($0) }) ?? true {
            send(frame: frame)
        }
    }

    /// Broadcasts wait until ``replay(_:)``.
    func holdBack() { heldBack = [] }

    /// Sends earlier broadcasts, and then what has come meanwhile: none twice.
    func replay(_ broadcasts: [(id: String, broadcast: Broadcast)]) {
        for (id, broadcast) in broadcasts {
            replayedIDs.insert(id)
            if let frame = broadcast.frame(topic: topic, version) { send(frame: frame) }
        }
        let waiting = heldBack.take() ?? []
        for (id, frame) in waiting { sendBroadcast(frame, id) }
    }

    func push(_ event: StaticString, _ payload: JSONText) {
        send(ServerMessage(joinRef: joinRef, topic: quotedTopic, event: event, payload: payload))
    }

    func reply(_ reply: Reply, to ref: JSONText) {
        send(
            ServerMessage(joinRef: joinRef, ref: ref, topic: quotedTopic, event: "phx_reply", payload: reply.payload)
        )
    }

    func pushSystem(_ extensionName: String, isOK: Bool, _ message: String) {
        let payload: JSONObject = [
            "extension": .string(extensionName), "status": .string(isOK ? "ok" : "error"),
            "message": .string(message), "channel": .string(room.topic),
        ]
        push("system", JSONText(.object(payload)))
    }

    /// `data` is an object as clients of row changes expect it.
    func pushChange(_ ids: [Int], _ data: JSONText) {
        var payload: JSONText = []
        payload += "{\"ids\":["
        payload += Array(ids.map(String.init).joined(separator: ",").utf8)
        payload += "],\"data\":"
        payload += data
        payload += "}"
        push("postgres_changes", payload)
    }

    /// Ends the channel on the server's own account.
    func end(_ reason: String) { socket.end(self, reason) }

    /// What a client takes as the channel's end.
    func pushClose() {
        send(
            ServerMessage(joinRef: joinRef, ref: joinRef, topic: quotedTopic, event: "phx_close", payload: .emptyObject)
        )
    }

    private func send(_ message: ServerMessage) { send(frame: message.frame(version)) }
}
