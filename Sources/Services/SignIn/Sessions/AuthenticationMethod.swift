/// How the user was authenticated when a session began: the `method` in the claim `amr` (authentication methods
/// references) of its tokens. The values are GoTrue's, not those of RFC 8176.
enum AuthenticationMethod: String, Sendable {
    /// A session without credentials.
    case anonymous
    /// The ID token of an identity provider.
    case oauth
    /// A link or a code that was sent by mail.
    case otp
    case password
    /// A second factor: a code of an authenticator app.
    case totp
    /// A second factor: an authenticator of WebAuthn.
    case webAuthn = "mfa/webauthn"
    /// A second factor: a code sent to a phone.
    case phoneFactor = "mfa/phone"
    /// A second factor: a code on paper.
    case recoveryCode = "mfa/recovery_code"
    /// An authenticator of WebAuthn, and nothing else.
    case passkey
}
