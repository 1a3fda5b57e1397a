import SwiftletJSON
package import SwiftletOutbound

/// An identity provider whose ID tokens users can sign in with.
package struct IdentityProvider: Sendable {
    /// The name in `identities.provider`, such as `apple`.
    package let name: String
    /// Accepted values of `iss`.
    package let issuers: [String]
    /// Accepted values of `aud`: client ids, bundle ids.
    package private(set) var audiences: [String]
    package let keys: PublishedKeys
    /// Accepts tokens with a nonce that the app does not know, as Google's iOS SDK creates them. Without a nonce, a
    /// stolen token can be replayed until it expires.
    package var skipsNonceCheck = false
    /// Accepts the issuers of all tenants below this address, `<base><tenant>/v2.0`; nil means ``issuers`` alone.
    var tenantsBase: String?
    var emailRule = EmailRule.claim

    /// When the address in an ID token counts as verified.
    enum EmailRule: Sendable {
        /// As `email_verified` says.
        case claim
        /// As `xms_edov` says, because Microsoft has no `email_verified`. Where all tenants may sign in, each of their
        /// administrators can write any address into a token, so that without this claim nothing is verified.
        case microsoft(isForManyTenants: Bool)
    }

    package init(name: String, issuers: [String], audiences: [String], keys: PublishedKeys) {
        self.name = name
        self.issuers = issuers
        self.audiences = audiences
        self.keys = keys
    }

    /// One for each name, with the audiences of all that share it: an app's and a website's.
    package static func joined(_ providers: [IdentityProvider]) -> [IdentityProvider] {
        providers.reduce(into: []) { joined, provider in
            guard let place = joined.firstIndex(where: { $0.name == provider.name }) else {
                return joined.append(provider)
            }
            joined[place].audiences += provider.audiences
            joined[place].skipsNonceCheck = joined[place].skipsNonceCheck || provider.skipsNonceCheck
        }
    }

    /// Whether a token of this issuer is the provider's.
    func isIssuer(_ issuer: String, _ claims: JSONValue) -> Bool {
        if let base = tenantsBase, let tenant = claims["tid"]?.string, RandomID.normalized(tenant) != nil {
            return issuer == "\(base)\(tenant)/v2.0"
        }
        return issuers.contains(issuer)
    }

    /// Whether the token vouches for its address.
    func vouchesForEmail(_ claims: JSONValue) -> Bool {
        switch emailRule {
        case .claim: IdentityTokens.isTrue(claims["email_verified"])
        case .microsoft(let isForManyTenants):
            claims["xms_edov"].map { IdentityTokens.isTrue($0) || $0.int == 1 || $0.string == "1" } ?? !isForManyTenants
        }
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
