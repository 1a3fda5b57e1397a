import SwiftletHTTP
import SwiftletWeb

/// `/auth/v1`, compatible with Supabase's clients. The handlers are in the other files of this folder.
struct AuthAPI: ServiceAPI {
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
            Post("/v1/token", serve(Self.token))
            Post("/v1/signup", serve(Self.signUp))
            Get("/v1/user", serve(Self.user))
            Put("/v1/user", serve(Self.updateUser))
            Delete("/v1/user", serve(Self.deleteUser))
            Get("/v1/user/export", serve(Self.exportUser))
            Get("/v1/reauthenticate", serve(Self.reauthenticate))
            Post("/v1/logout", serve(Self.logout))
            Post("/v1/recover", serve(Self.recover))
            Post("/v1/otp", serve(Self.otp))
            Post("/v1/magiclink", serve(Self.otp))
            Post("/v1/verify", serve(Self.verify))
            Get("/v1/verify", serve(Self.verifyLink))
            Post("/v1/resend", serve(Self.resend))
            Get("/v1/admin/audit", serve(Self.adminAudit))
            Get("/v1/admin/users", serve(Self.adminListUsers))
            Post("/v1/admin/users", serve(Self.adminCreateUser))
            Get("/v1/admin/users/:id", serve(Self.adminUser))
            Put("/v1/admin/users/:id", serve(Self.adminUpdateUser))
            Delete("/v1/admin/users/:id", serve(Self.adminDeleteUser))
            Get("/v1/settings", serve(Self.settingsPage))
            Get("/v1/health", serve(Self.health))
            Get("/v1/.well-known/jwks.json", serve(Self.publicKeys))
            Get("/v1/.well-known/openid-configuration", serve(Self.discovery))
            linkRoutes
            factorRoutes
            passkeyRoutes
            providerRoutes
            unbuiltRoutes
        }
        .with(AuthErrorFormat.middleware)
        .checkedByHandlers()
        .unlisted()
    }
}
