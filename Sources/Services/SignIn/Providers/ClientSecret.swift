package import SwiftletAuth
import SwiftletJSON
package import SwiftletWeb

/// What proves to a provider that a request is this server's.
package enum ClientSecret: Sendable {
    /// As the provider has given it; for Apple a signed token, which the operator renews.
    case text(Secret)
    /// A token for Apple, signed for each request.
    case apple(AppleClientSecret)

    /// To be sent at once. `clientID` is the one that it is for.
    func text(for clientID: String) throws(KeyError) -> String {
        switch self {
        case .text(let secret):
            secret.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
        case .apple(let secret): try secret.make(for: clientID)
        }
    }
}

/// Makes client secrets for "Sign in with Apple" from the team's `.p8` key: tokens that are valid for minutes, where
/// Apple allows six months.
package struct AppleClientSecret: Sendable {
    private static let lifetimeSeconds = 600
    /// For clocks that differ.
    private static let leewaySeconds = 30
    private static let audience = "https://appleid.apple.com"

    private let issuer: TokenIssuer
    private let team: String
    private let clock: ServerClock

    /// `key` is for ES256 and has Apple's id of it as its name.
    package init(key: PrivateKey, team: String, clock: ServerClock = .system) {
        issuer = TokenIssuer(privateKey: key)
        self.team = team
        self.clock = clock
    }

    func make(for clientID: String) throws(KeyError) -> String {
        let now = clock.milliseconds() / 1000
        var writer = JSONWriter(minimumCapacity: 256)
        writer.beginObject()
        writer.member("iss", team)
        writer.member("iat", now - Self.leewaySeconds)
        writer.member("exp", now + Self.lifetimeSeconds)
        writer.member("aud", Self.audience)
        writer.member("sub", clientID)
        writer.endObject()
        return try issuer.issue(payload: writer.finish())
    }
}
