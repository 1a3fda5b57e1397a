import SwiftletOutbound
import SwiftletSignIn

/// Sign-in with Apple and Google, in addition to the issuers of `JWT_ISSUERS`.
struct IdentitySettings: Sendable {
    /// Apple's Services IDs and the bundle ids of apps (`APPLE_CLIENT_IDS`); empty means disabled.
    let appleClientIDs: [String]
    /// OAuth client ids (`GOOGLE_CLIENT_IDS`); empty means disabled.
    let googleClientIDs: [String]
    /// Accepts tokens of Google with an unknown nonce (`GOOGLE_SKIP_NONCE_CHECK`): its iOS SDK adds one to each token.
    let skipsGoogleNonce: Bool

    init(_ reader: inout SettingsReader) {
        appleClientIDs = reader.list("APPLE_CLIENT_IDS")
        googleClientIDs = reader.list("GOOGLE_CLIENT_IDS")
        skipsGoogleNonce = reader.flag("GOOGLE_SKIP_NONCE_CHECK", default: false)
    }

    func providers(_ http: HTTPEngine) -> [IdentityProvider] {
        var google = IdentityProvider.google(clientIDs: googleClientIDs, http)
        google.skipsNonceCheck = skipsGoogleNonce
        return [.apple(clientIDs: appleClientIDs, http), google]
    }
}
