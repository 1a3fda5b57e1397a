import Logging
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// The services that the handlers of both APIs share.
struct Services: Sendable {
    let settings: SignInSettings
    private(set) var accounts: AccountStore
    private(set) var sessions: SessionStore
    let accessTokens: AccessTokens
    let passwords: Passwords
    private(set) var limits: SignInLimits
    private(set) var signUpLimits: SignUpLimits
    private(set) var emailLimits: EmailLimits
    /// Challenges that anybody may ask for; each is a row.
    private(set) var passkeyLimit: AddressLimit
    let keys: SigningKeys
    let ended: EndedSessions
    let authentication: Authentication
    let identities: IdentityTokens
    private(set) var hooks: Hooks
    let redirects: [RedirectProvider]
    /// Also without a mailer: an administrator can make links and send them otherwise.
    private(set) var tokens: OneTimeTokens
    private(set) var emails: Emails?
    /// nil where nobody sends texts: phone numbers are no way in then.
    private(set) var texts: Texts?
    /// What other services hold of an account.
    let belongings: [AccountBelongings]

    /// The same services, whose statements are added to the log line of a request.
    func counting(in context: Context) -> Services {
        var services = self
        services.accounts.count(in: context)
        services.sessions.count(in: context)
        services.limits.count(in: context)
        services.signUpLimits.count(in: context)
        services.emailLimits.count(in: context)
        services.passkeyLimit.count(in: context)
        services.hooks.count(in: context)
        services.tokens.count(in: context)
        services.emails?.count(in: context)
        services.texts?.count(in: context)
        return services
    }

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
