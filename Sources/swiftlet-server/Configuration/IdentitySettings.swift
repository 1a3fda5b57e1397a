import Outbound
import SignIn

/// Whose ID tokens users may sign in with, beside the issuers of `JWT_ISSUERS`.
struct IdentitySettings: Sendable {
    /// Apple's Services IDs and the bundle ids of apps (`APPLE_CLIENT_IDS`); empty: off.
    let appleClientIDs: [String]
    /// OAuth client ids (`GOOGLE_CLIENT_IDS`); empty: off.
    let googleClientIDs: [String]
    /// Takes Google's tokens with a nonce that the app does not know (`GOOGLE_SKIP_NONCE_CHECK`): its SDK for iOS puts
    /// one into each.
    let skipsGoogleNonce: Bool

    init(_ reader: inout SettingsReader) {
        appleClientIDs = Self.list(reader.text("APPLE_CLIENT_IDS"))
        googleClientIDs = Self.list(reader.text("GOOGLE_CLIENT_IDS"))
        skipsGoogleNonce = reader.choice("GOOGLE_SKIP_NONCE_CHECK", default: false, ["on": true, "off": false])
    }

    func providers(trust: Trust) -> [IdentityProvider] {
        var google = IdentityProvider.google(clientIDs: googleClientIDs, trust: trust)
        google.skipsNonceCheck = skipsGoogleNonce
        return [.apple(clientIDs: appleClientIDs, trust: trust), google]
    }

    private static func list(_ text: String?) -> [String] {
        (text ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }
}
