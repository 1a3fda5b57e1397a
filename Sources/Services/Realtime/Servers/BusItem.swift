import SwiftletBytes
import SwiftletJSON

/// What one server tells others.
enum BusItem: Sendable {
    /// It has begun to listen, and has missed what was before: it wants to know who is present with the others.
    case hello
    /// The same of one that has listened before.
    case ask
    /// What it has told of presence is void: all of it follows.
    case reset
    /// It is alive.
    case beat
    /// It ends.
    case bye
    case delivery(RoomMessage)
    /// More items, in the table of parcels.
    case parcel(Int)
}

extension BusItem {
    var isBroadcast: Bool {
        if case .delivery(let delivery) = self, case .broadcast = delivery.content { true } else { false }
    }

    var text: JSONText {
        switch self {
        case .hello: return JSONText(.string("hello"))
        case .ask: return JSONText(.string("ask"))
        case .reset: return JSONText(.string("reset"))
        case .beat: return JSONText(.string("beat"))
        case .bye: return JSONText(.string("bye"))
        case .parcel(let id): return JSONText(.object(["parcel": .number(JSONNumber(id))]))
        case .delivery(let delivery): return delivery.text
        }
    }

    /// nil for what a newer server may say.
    init?(_ value: JSONValue) {
        switch value {
        case .string("hello"): self = .hello
        case .string("ask"): self = .ask
        case .string("reset"): self = .reset
        case .string("beat"): self = .beat
        case .string("bye"): self = .bye
        default:
            if let id = value["parcel"]?.int {
                self = .parcel(id)
            } else if let delivery = RoomMessage(value) {
                self = .delivery(delivery)
            } else {
                return nil
            }
        }
    }
}

extension RoomMessage {
    fileprivate var text: JSONText {
        var text: JSONText = []
        text += "{\"topic\":"
        text += JSONText(quoting: room.topic)
        if room.isPrivate { text += ",\"private\":true" }
        switch content {
        case .broadcast(.text(let payload)):
            text += ",\"text\":"
            text += payload
        case .broadcast(.binary(let broadcast)):
            let object: JSONObject = [
                "event": .string(broadcast.event), "json": .bool(broadcast.isJSON),
                "metadata": .string(Base64URL.encode(broadcast.metadata.span)),
                "payload": .string(Base64URL.encode(broadcast.payload.span)),
            ]
            text += ",\"binary\":"
            text += JSONText(.object(object))
        case .presence(let changes):
            text += ",\"presence\":["
            for (index, change) in changes.enumerated() {
                if index > 0 { text += "," }
                text += change.text
            }
            text += "]"
        }
        text += "}"
        return text
    }

    fileprivate init?(_ value: JSONValue) {
        guard let topic = value["topic"]?.string else { return nil }
        let room = RoomName(topic: topic, isPrivate: value["private"]?.bool ?? false)
        if let payload = value["text"] {
            self.init(room: room, content: .broadcast(.text(JSONText(payload))))
        } else if let binary = value["binary"], let event = binary["event"]?.string,
            let metadata = Self.bytes(binary["metadata"]), let payload = Self.bytes(binary["payload"])
        {
            let isJSON = binary["json"]?.bool ?? false
            let broadcast = BinaryBroadcast(event: event, metadata: metadata, isJSON: isJSON, payload: payload)
            self.init(room: room, content: .broadcast(.binary(broadcast)))
        } else if let changes = value["presence"]?.array {
            self.init(room: room, content: .presence(changes.compactMap { PresenceChange($0) }))
        } else {
            return nil
        }
    }

    private static func bytes(_ value: JSONValue?) -> [UInt8]? {
        value?.string.flatMap { Base64URL.decode($0.utf8.span) }
    }
}

extension PresenceChange {
    fileprivate var text: JSONText {
        switch self {
        case .join(let key, let ref, let meta, let server):
            var text: JSONText = []
            text += "{\"join\":"
            text += JSONText(quoting: key)
            text += ",\"ref\":"
            text += JSONText(quoting: ref)
            text += ",\"server\":"
            text += JSONText(quoting: server)
            text += ",\"meta\":"
            text += meta
            text += "}"
            return text
        case .leave(let key, let ref): return JSONText(.object(["leave": .string(key), "ref": .string(ref)]))
        case .serverGone(let server): return JSONText(.object(["gone": .string(server)]))
        }
    }

    fileprivate init?(_ value: JSONValue) {
        if let key = value["join"]?.string, let ref = value["ref"]?.string, let server = value["server"]?.string,
            let meta = value["meta"], meta.object != nil
        {
            self = .join(key: key, ref: ref, meta: JSONText(meta), server: server)
        } else if let key = value["leave"]?.string, let ref = value["ref"]?.string {
            self = .leave(key: key, ref: ref)
        } else if let server = value["gone"]?.string {
            self = .serverGone(server)
        } else {
            return nil
        }
    }
}
