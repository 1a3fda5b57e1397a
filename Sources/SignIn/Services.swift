import Auth
import JSON
import Logging
import Postgres
import Web

/// The services that the handlers of both APIs share.
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

    /// Whether new addresses are accepted without a confirmation mail.
    var confirmsAtOnce: Bool { settings.confirmsAtOnce ?? (letters == nil) }
}
