import SwiftletBytes
import SwiftletJSON

/// A new signing secret, and the two API keys that clients are configured with.
package struct ServerKeys: Sendable {
    /// The lifetime of the anonymous and the service key: ten years.
    package static let lifetimeSeconds = 10 * 365 * 86_400

    /// 48 random bytes as 64 characters that need no quotes in a `.env` file.
    package let secret: String
    package let anonymousKey: String
    package let serviceKey: String

    package static func make(now: Int) throws(KeyError) -> ServerKeys {
        let random = try RandomBytes.make(count: 48)
        return try derive(from: Base64URL.encode(random.span), now: now)
    }

    /// The two keys of a secret that is there already.
    package static func derive(from secret: String, now: Int) throws(KeyError) -> ServerKeys {
        let issuer = try TokenIssuer(secret: Secret(secret))
        return ServerKeys(
            secret: secret,
            anonymousKey: try issuer.issue(payload: payload(role: "anon", now: now, lifetime: lifetimeSeconds)),
            serviceKey: try issuer.issue(payload: payload(role: "service_role", now: now, lifetime: lifetimeSeconds))
        )
    }

    /// The claims of a key, as Supabase writes them: no subject, no audience. Times are in seconds.
    package static func payload(role: String, now: Int, lifetime: Int) -> [UInt8] {
        var writer = JSONWriter(minimumCapacity: 128)
        writer.beginObject()
        writer.member("iss", "supabase")
        writer.member("role", role)
        writer.member("iat", now)
        writer.member("exp", now + lifetime)
        writer.endObject()
        return writer.finish()
    }
}
