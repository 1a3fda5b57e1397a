package import SwiftletAuth

/// What this server is to a provider: an OAuth client.
package struct ProviderClient: Sendable {
    /// The first one is ours, the others may be in ID tokens as well: bundle ids of apps.
    package let ids: [String]
    package let secret: ClientSecret
    /// Where the provider sends browsers back to; nil for `/auth/v1/callback` of this server.
    package var redirectURI: String?
    /// Accounts may lack an address.
    package var isEmailOptional = false
    /// What is asked for beside the identity.
    package var scopes: [String] = []
    package var skipsNonceCheck = false
    /// The provider's refresh token is kept, and revoked there when the account is deleted.
    package var revokesAtDeletion = false

    package init(ids: [String], secret: ClientSecret) {
        self.ids = ids
        self.secret = secret
    }

    package init(ids: [String], secret: Secret) { self.init(ids: ids, secret: .text(secret)) }

    var id: String { ids.first ?? "" }

    /// To be sent at once.
    func secretText() throws(ProviderCalls.Failure) -> String {
        do {
            return try secret.text(for: id)
        } catch {
            throw ProviderCalls.Failure(description: "the client's secret cannot be signed: \(error)")
        }
    }
}

/// A provider's tokens for its own API. They are handed over once, and not kept.
struct ProviderTokens: Sendable {
    let access: String
    let refresh: String?
    var identity: String?
}
