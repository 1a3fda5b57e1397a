import SwiftletHTTP
import SwiftletJSON

/// A message to a client, as the frame that carries it.
struct ServerMessage {
    /// Of the join that the message belongs to; nil for what all members of a room get alike.
    var joinRef: JSONText?
    /// Of the message that it answers.
    var ref: JSONText?
    /// In quotes.
    var topic: JSONText
    var event: StaticString
    var payload: JSONText

    func frame(_ version: WireVersion) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(payload.count + topic.count + 100)
        switch version {
        // Clients of that version want these members, and no others.
        case .objects:
            text += "{\"topic\":"
            text += topic
            text += ",\"event\":\""
            text += event
            text += "\",\"payload\":"
            text += payload
            text += ",\"ref\":"
            text += ref ?? .jsonNull
            text += "}"
        case .arrays:
            text += "["
            text += joinRef ?? .jsonNull
            text += ","
            text += ref ?? .jsonNull
            text += ","
            text += topic
            text += ",\""
            text += event
            text += "\","
            text += payload
            text += "]"
        }
        return WebSocketFrames.text(text)
    }
}

/// What is answered to a message.
enum Reply {
    case ok(JSONText)
    case error(JSONText)

    static var done: Reply { .ok(.emptyObject) }

    static func refused(_ reason: String) -> Reply {
        .error(JSONText(.object(["reason": .string(reason)])))
    }

    var payload: JSONText {
        var text: [UInt8] = []
        switch self {
        case .ok(let response):
            text += "{\"status\":\"ok\",\"response\":"
            text += response
        case .error(let response):
            text += "{\"status\":\"error\",\"response\":"
            text += response
        }
        text += "}"
        return text
    }
}
