import SwiftletBytes

/// What goes with a webhook's request, so that its receiver knows the sender (Standard Webhooks): `webhook-id`,
/// `webhook-timestamp`, and in `webhook-signature` one `v1,<Base64 of HMAC-SHA256>` for each key.
package enum WebhookSignature {
    /// `seconds` since 1970. The signatures of several keys are separated by a space, as the standard has it, unless the
    /// receiver expects something else.
    package static func headers(
        id: String,
        seconds: Int,
        body: [UInt8],
        _ keys: [HMACKey],
        separator: String = " "
    ) throws(KeyError) -> [(name: String, value: String)] {
        var signatures: [String] = []
        for key in keys {
            let code = try key.authenticate(Array("\(id).\(seconds).".utf8) + body)
            signatures.append("v1,\(Base64.encode(code))")
        }
        return [
            ("webhook-id", id), ("webhook-timestamp", String(seconds)),
            ("webhook-signature", signatures.joined(separator: separator)),
        ]
    }
}
