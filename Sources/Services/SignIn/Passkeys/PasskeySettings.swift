/// The settings of passkeys and of WebAuthn as a second factor.
package struct PasskeySettings: Sendable {
    /// Accounts can have passkeys and sign in with them (`PASSKEY_ENABLED`).
    package var isEnabled = false
    /// Authenticators can be enrolled as a second factor (`MFA_WEB_AUTHN_ENROLL_ENABLED`).
    package var canEnrollFactors = false
    /// Authenticators are accepted as a second factor (`MFA_WEB_AUTHN_VERIFY_ENABLED`).
    package var canVerifyFactors = false
    /// The domain that credentials are bound to (`WEBAUTHN_RP_ID`). With another one, all of them are of no use.
    package var relyingPartyID = "localhost"
    /// The name that some devices show (`WEBAUTHN_RP_DISPLAY_NAME`).
    package var relyingPartyName = "localhost"
    /// The pages and apps that may use credentials, such as `https://app.example.com` (`WEBAUTHN_RP_ORIGINS`).
    package var origins: [String] = []
    /// The iOS and macOS apps that may use credentials of the domain, as `TEAMID.com.example.app` (`APPLE_APP_IDS`).
    package var appleApps: [String] = []
    /// What devices are asked for: a face, a finger or a PIN (`WEBAUTHN_USER_VERIFICATION`).
    package var verification = Verification.preferred
    /// Passkeys that one account may have (`PASSKEY_MAX_PASSKEYS_PER_USER`).
    package var maximumPerAccount = 10
    /// Seconds in which a challenge is to be answered (`WEBAUTHN_CHALLENGE_EXPIRY_DURATION`).
    package var challengeSeconds = 300

    /// Challenges for sign-ins that one address may ask for within five minutes. Pages that offer passkeys in a form ask
    /// for one each time that they are opened.
    package var challengesPerAddress = 60

    package enum Verification: String, Sendable, CaseIterable {
        case required
        case preferred
        case discouraged
    }

    package init() {}

    /// Whether a page or an app with this origin may use credentials. That of an app on Apple's systems is the domain
    /// itself.
    func allows(origin: String) -> Bool {
        origins.contains(origin) || (!appleApps.isEmpty && origin == "https://\(relyingPartyID)")
    }
}
