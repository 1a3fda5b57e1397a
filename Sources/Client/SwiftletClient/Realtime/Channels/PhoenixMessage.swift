import Foundation

/// A message of a channel: `[join_ref, ref, topic, event, payload]`.
struct PhoenixMessage {
    var joinRef: String?
    var ref: String?
    var topic: String
    var event: String
    /// A JSON object.
    var payload: Data

    init(joinRef: String? = nil, ref: String?, topic: String, event: String, payload: Data) {
        self.joinRef = joinRef
        self.ref = ref
        self.topic = topic
        self.event = event
        self.payload = payload
    }

    /// nil for what is no message.
    init?(_ text: String) {
        guard let parts = (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [Any], parts.count == 5,
            let topic = parts[2] as? String, let event = parts[3] as? String, let payload = parts[4] as? [String: Any],
            let data = try? JSONSerialization.data(withJSONObject: payload)
        else { return nil }
        self.init(
            joinRef: parts[0] as? String,
            ref: parts[1] as? String,
            topic: topic,
            event: event,
            payload: data
        )
    }

    var text: String {
        let parts = [joinRef, ref, topic, event].map { part in part.map(Self.quoted) ?? "null" }
        return "[\(parts.joined(separator: ",")),\(String(decoding: payload, as: UTF8.self))]"
    }

    private static func quoted(_ text: String) -> String {
        (try? JSONEncoder().encode([text])).map { String(decoding: $0.dropFirst().dropLast(), as: UTF8.self) } ?? "null"
    }

    /// A member of the payload that is an object, as JSON.
    func member(_ name: String) -> Data? {
        guard let value = members[name] else { return nil }
        return try? JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
    }

    var members: [String: Any] { ((try? JSONSerialization.jsonObject(with: payload)) as? [String: Any]) ?? [:] }
}
