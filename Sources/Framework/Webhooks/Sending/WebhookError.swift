import SwiftletWeb

/// Why an event cannot be sent.
public enum WebhookError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A name has 1 to 100 characters: letters, digits, `.`, `_`, `-` and `:`.
    case badEvent
    case payloadTooLarge(bytes: Int)

    static let maximumBytes = 262_144

    public var description: String {
        switch self {
        case .badEvent: "an event's name has 1 to 100 letters, digits, dots, colons, hyphens and underscores"
        case .payloadTooLarge(let bytes):
            "the event has \(bytes) bytes, of which \(Self.maximumBytes) are allowed"
        }
    }
}

/// The name of an event of functions: `invoice.paid`.
struct EventName {
    let rawValue: String

    init(_ text: String) throws(WebhookError) {
        guard (1...100).contains(text.utf8.count), text.utf8.allSatisfy(Self.isAccepted) else { throw .badEvent }
        rawValue = text
    }

    private static func isAccepted(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
