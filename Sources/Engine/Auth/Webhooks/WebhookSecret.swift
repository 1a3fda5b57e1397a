import SwiftletBytes

/// The text of a webhook's secret: `whsec_` and Base64 (Standard Webhooks).
package enum WebhookSecret {
    package static let prefix = "whsec_"
    /// Standard Webhooks wants 24 to 64 bytes.
    private static let accepted = 24...64

    /// A new one of 32 random bytes.
    package static func make() throws(KeyError) -> String {
        prefix + Base64.encode(try RandomBytes.make(count: 32))
    }

    /// Whether it is one, of a length that is secret enough.
    package static func isAccepted(_ text: String) -> Bool {
        guard text.hasPrefix(prefix), let bytes = Base64.decode(text.dropFirst(prefix.count)) else { return false }
        return accepted.contains(bytes.count)
    }
}
