import SwiftletBytes

/// A broadcast in a binary frame of version 2.0.0. Each length is a byte:
/// kind 3, from clients: `03 joinRef ref topic event metadata encoding`, kind 4, to them: `04 topic event metadata
/// encoding`; then the parts themselves, and the payload up to the end.
struct BinaryBroadcast: Sendable {
    var event: String
    /// JSON, or nothing.
    var metadata: [UInt8]
    /// Whether the payload is JSON rather than bytes.
    var isJSON: Bool
    var payload: [UInt8]

    private static let fromClient: UInt8 = 3
    private static let toClient: UInt8 = 4
    /// What a length can say.
    static let maximumPartBytes = 255

    /// nil for bytes that are none.
    static func read(_ bytes: [UInt8]) -> (Self, joinRef: String, ref: String, topic: String)? {
        guard bytes.count >= 7, bytes[0] == fromClient, bytes[6] <= 1 else { return nil }
        var start = 7
        var parts: [[UInt8]] = []
        for index in 1...5 {
            let end = start + Int(bytes[index])
            guard end <= bytes.count else { return nil }
            parts.append(Array(bytes[start..<end]))
            start = end
        }
        let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
        guard texts.count == parts.count else { return nil }
        let broadcast = Self(
            event: texts[3],
            metadata: parts[4],
            isJSON: bytes[6] == 1,
            payload: Array(bytes[start...])
        )
        return (broadcast, texts[0], texts[1], texts[2])
    }

    /// The frame's content for clients of the topic; nil when a part is too long for it.
    func bytes(topic: String) -> [UInt8]? {
        let (topic, event) = (Array(topic.utf8), Array(event.utf8))
        let parts = [topic, event, metadata]
        guard parts.allSatisfy({ $0.count <= Self.maximumPartBytes }) else { return nil }
        return [Self.toClient] + parts.map { UInt8($0.count) } + [isJSON ? 1 : 0] + parts.joined() + payload
    }
}
