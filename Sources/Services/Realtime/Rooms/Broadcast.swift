import SwiftletHTTP
import SwiftletJSON

/// A message to all members of a room.
enum Broadcast: Sendable {
    /// `{"type":"broadcast","event":…,"payload":…[,"meta":…]}`
    case text(JSONText)
    case binary(BinaryBroadcast)

    /// `payload` is JSON.
    static func text(event: String, payload: JSONText, id: String? = nil, isReplayed: Bool = false) -> Broadcast {
        var text: JSONText = []
        text.reserveCapacity(payload.count + event.utf8.count + 80)
        text += "{\"type\":\"broadcast\",\"event\":"
        text += JSONText(quoting: event)
        text += ",\"payload\":"
        text += payload
        if let id {
            text += ",\"meta\":{\"id\":"
            text += JSONText(quoting: id)
            if isReplayed { text += ",\"replayed\":true" }
            text += "}"
        }
        text += "}"
        return .text(text)
    }

    /// The frame for members of that topic, which is with `realtime:`; nil if none says it to that version.
    func frame(topic: String, _ version: WireVersion) -> [UInt8]? {
        switch (self, version) {
        case (.text(let payload), _): return Self.frame(payload, topic, version)
        case (.binary(let broadcast), .arrays): return broadcast.bytes(topic: topic).map(WebSocketFrames.binary)
        case (.binary(let broadcast), .objects): return broadcast.text.map { Self.frame($0, topic, version) }
        }
    }

    private static func frame(_ payload: JSONText, _ topic: String, _ version: WireVersion) -> [UInt8] {
        ServerMessage(topic: JSONText(quoting: topic), event: "broadcast", payload: payload).frame(version)
    }
}

extension BinaryBroadcast {
    /// The same for clients of the first version; nil for bytes, which they never see.
    fileprivate var text: JSONText? {
        guard isJSON else { return nil }
        var text: JSONText = []
        text += "{\"type\":\"broadcast\",\"event\":"
        text += JSONText(quoting: event)
        text += ",\"payload\":"
        text += payload
        if !metadata.isEmpty, metadata.isJSONObject {
            text += ",\"meta\":"
            text += metadata
        }
        text += "}"
        return text
    }
}
