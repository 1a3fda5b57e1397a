import SwiftletBytes

extension HMACKey {
    /// The key that a webhook's requests are signed with (Standard Webhooks). A secret `whsec_…`, optionally preceded
    /// by `v1,`, is Base64-decoded; any other is used as it is.
    package init(webhook secret: Secret) throws(KeyError) {
        var bytes = secret.withBytes { span in span.indices.map { span[$0] } }
        let text = String(decoding: bytes, as: UTF8.self)
        let name = text.hasPrefix("v1,") ? text.dropFirst(3) : text[...]
        if name.hasPrefix(WebhookSecret.prefix), let decoded = Base64.decode(name.dropFirst(WebhookSecret.prefix.count))
        {
            bytes = decoded
        }
        // HMAC pads keys with zeros (RFC 2104 §2), so this is the same key, but long enough for HMACKey. The
        // configuration has checked its strength.
        while bytes.count < HMACKey.minimumSecretBytes { bytes.append(0) }
        try self.init(Secret(bytes.span))
    }
}
