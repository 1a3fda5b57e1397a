import Logging
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// The services that the handlers of both APIs share.
struct Services: Sendable {
    let settings: SignInSettings
    let accounts: AccountStore
    let sessions: SessionStore
    let accessTokens: AccessTokens
    let passwords: Passwords
    let limits: SignInLimits
    let signUpLimits: SignUpLimits
    let emailLimits: EmailLimits
    /// Challenges that anybody may ask for; each is a row.
    let passkeyLimit: AddressLimit
    let keys: SigningKeys
    let ended: EndedSessions
    let authentication: Authentication
    let identities: IdentityTokens
    let hooks: Hooks
    let redirects: [RedirectProvider]
    /// Also without a mailer: an administrator can make links and send them otherwise.
    let tokens: OneTimeTokens
    let emails: Emails?
    /// nil where nobody sends texts: phone numbers are no way in then.
    let texts: Texts?
    /// What other services hold of an account.
    let belongings: [AccountBelongings]

    var passwordSignIn: PasswordSignIn {
        PasswordSignIn(
            accounts: accounts,
            sessions: sessions,
            passwords: passwords,
            limits: limits,
            hooks: hooks,
            ended: ended
        )
    }

    func client(_ request: Request) -> ClientInfo { ClientInfo(request, trusting: settings.trustedProxies) }

    var passwordRules: PasswordRules {
        PasswordRules(
            minimumBytes: settings.minimumPasswordBytes,
            requiredCharacters: settings.requiredPasswordCharacters
        )
    }

    /// Whether a phone number is a way in.
    var hasPhones: Bool { texts != nil || settings.confirmsPhonesAtOnce }

    /// Whether new addresses are accepted without a confirmation mail.
    var confirmsAtOnce: Bool { settings.confirmsAtOnce ?? (emails == nil) }
}
