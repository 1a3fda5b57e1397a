import SwiftletAuth
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletJSON

/// What a client says in a channel.
extension RealtimeSocket {
    func take(_ message: ClientMessage, _ channel: JoinedChannel) {
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
            RoomMessage(room: channel.room, content: .broadcast(broadcast)),
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
        rooms.publish(RoomMessage(room: channel.room, content: .presence(changes)))
    }

    func untrack(_ channel: JoinedChannel) {
        guard let tracked = channel.presence.take() else { return }
        let change = PresenceChange.leave(key: tracked.key, ref: tracked.ref)
        rooms.publish(RoomMessage(room: channel.room, content: .presence([change])))
    }
}
