import SwiftletHTTP
import SwiftletWeb

/// `/auth/v1`, compatible with Supabase's clients. The handlers are in the other files of this folder.
struct AuthAPI: Sendable {
    let services: Services

    var settings: SignInSettings { services.settings }
    var accounts: AccountStore { services.accounts }
    var sessions: SessionStore { services.sessions }

    /// Throws ``SignInError`` 422 if no mailer is configured.
    var emails: Emails {
        get throws(SignInError) {
            guard let emails = services.emails else { throw SignInError.noMailer }
            return emails
        }
    }

    /// Handlers check their callers themselves, with GoTrue's errors.
    var function: Function {
        Function("auth") {
            Post("/v1/token", token)
            Post("/v1/signup", signUp)
            Get("/v1/user", user)
            Put("/v1/user", updateUser)
            Delete("/v1/user", deleteUser)
            Get("/v1/user/export", exportUser)
            Get("/v1/reauthenticate", reauthenticate)
            Post("/v1/logout", logout)
            Post("/v1/recover", recover)
            Post("/v1/otp", otp)
            Post("/v1/magiclink", otp)
            Post("/v1/verify", verify)
            Get("/v1/verify", verifyLink)
            Post("/v1/resend", resend)
            Get("/v1/admin/audit", adminAudit)
            Get("/v1/admin/users", adminListUsers)
            Post("/v1/admin/users", adminCreateUser)
            Get("/v1/admin/users/:id", adminUser)
            Put("/v1/admin/users/:id", adminUpdateUser)
            Delete("/v1/admin/users/:id", adminDeleteUser)
            Get("/v1/settings", settingsPage)
            Get("/v1/health", health)
            Get("/v1/.well-known/jwks.json", publicKeys)
            linkRoutes
            factorRoutes
            passkeyRoutes
            providerRoutes
            unbuiltRoutes
        }
        .with(AuthErrorFormat.middleware, AccountDatabase.middleware)
        .checkedByHandlers()
        .unlisted()
    }
}
