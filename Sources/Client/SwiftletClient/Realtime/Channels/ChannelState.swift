import Foundation

/// What is known of one channel. Used by ``RealtimeClient`` only.
struct ChannelState: Sendable {
    let topic: String
    let isPrivate: Bool
    let receivesOwn: Bool
    let presenceKey: String
    /// The app wants to be on it.
    var isWanted = false
    var joinRef: String?
    var status = ChannelStatus.left
    var presence = PresenceState()
    /// What is told of this device; nil for nothing.
    var tracked: Data?
    var messages: [AsyncStream<ChannelMessage>.Continuation] = []
    var presences: [AsyncStream<[PresenceMember]>.Continuation] = []
    var statuses: [AsyncStream<ChannelStatus>.Continuation] = []

    func join(_ token: String?) -> Data {
        let configuration: [String: Any] = [
            "broadcast": ["ack": false, "self": receivesOwn], "presence": ["key": presenceKey, "enabled": true],
            "private": isPrivate, "postgres_changes": [Any](),
        ]
        var payload: [String: Any] = ["config": configuration]
        payload["access_token"] = token
        return (try? JSONSerialization.data(withJSONObject: payload)) ?? Data("{}".utf8)
    }

    var trackMessage: Data {
        guard let tracked else { return Data(#"{"type":"presence","event":"untrack"}"#.utf8) }
        return Data(#"{"type":"presence","event":"track","payload":"#.utf8) + tracked + Data("}".utf8)
    }

    mutating func set(_ status: ChannelStatus) {
        guard self.status != status else { return }
        self.status = status
        statuses.removeAll { listener in
            if case .terminated = listener.yield(status) { true } else { false }
        }
    }

    mutating func tellPresence() {
        let members = presence.members
        presences.removeAll { listener in
            if case .terminated = listener.yield(members) { true } else { false }
        }
    }

    mutating func tell(_ message: ChannelMessage) {
        messages.removeAll { listener in
            if case .terminated = listener.yield(message) { true } else { false }
        }
    }
}
