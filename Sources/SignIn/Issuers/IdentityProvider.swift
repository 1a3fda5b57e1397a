package import Outbound

/// An identity provider whose ID tokens users can sign in with.
package struct IdentityProvider: Sendable {
    /// The name in `identities.provider`, such as `apple`.
    package let name: String
    /// Accepted values of `iss`.
    package let issuers: [String]
    /// Accepted values of `aud`: client ids, bundle ids.
    package let audiences: [String]
    package let keys: PublishedKeys
    /// Accepts tokens with a nonce that the app does not know, as Google's iOS SDK creates them. Without a nonce, a
    /// stolen token can be replayed until it expires.
    package var skipsNonceCheck = false

    package init(name: String, issuers: [String], audiences: [String], keys: PublishedKeys) {
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
        self.keys = keys
    }

    /// Sign in with Apple: Services IDs and the bundle ids of apps. `keys` is for tests.
    package static func apple(
        clientIDs: [String],
        keys: PublishedKeys.Place = .url("https://appleid.apple.com/auth/keys"),
        _ http: HTTPEngine
    ) -> IdentityProvider {
        IdentityProvider(
            name: "apple",
            issuers: ["https://appleid.apple.com", "https://account.apple.com"],
            audiences: clientIDs,
            keys: PublishedKeys(keys, http)
        )
    }

    /// Sign in with Google: OAuth client ids. `keys` is for tests.
    package static func google(
        clientIDs: [String],
        keys: PublishedKeys.Place = .url("https://www.googleapis.com/oauth2/v3/certs"),
        _ http: HTTPEngine
    ) -> IdentityProvider {
        IdentityProvider(
            name: "google",
            issuers: ["https://accounts.google.com", "accounts.google.com"],
            audiences: clientIDs,
            keys: PublishedKeys(keys, http)
        )
    }
}
