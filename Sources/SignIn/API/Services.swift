internal import Auth
internal import JSON
internal import Logging
internal import Postgres
internal import Swiftlet

/// What the handlers of both APIs work with.
struct Services: Sendable {
    let settings: SignInSettings
    let accounts: AccountStore
    let sessions: SessionStore
    let accessTokens: AccessTokens
    let passwords: Passwords
    let limits: SignInLimits
    let signUpLimits: SignUpLimits
    let verifier: TokenVerifier
    let identities: IdentityTokens
    let publicKeys: JSONValue
    let letters: Letters?

    var passwordSignIn: PasswordSignIn {
        PasswordSignIn(accounts: accounts, sessions: sessions, passwords: passwords, limits: limits)
    }

    var passwordRules: PasswordRules { PasswordRules(minimumBytes: settings.minimumPasswordBytes) }

    /// New addresses count without a mail.
    var confirmsAtOnce: Bool { settings.confirmsAtOnce ?? (letters == nil) }
}
