import HTTP
import Web

/// `/auth/v1`, compatible with Supabase's clients. The handlers are in the other files of this folder.
struct AuthAPI: Sendable {
    let services: Services

    var settings: SignInSettings { services.settings }
    var accounts: AccountStore { services.accounts }
    var sessions: SessionStore { services.sessions }

    /// Throws ``SignInError`` 422 if no mailer is configured.
    var letters: Letters {
        get throws(SignInError) {
            guard let letters = services.letters else { throw SignInError.noMailer }
            return letters
        }
    }

    /// Every route is open, because the handlers authenticate callers themselves, with GoTrue's errors.
    var function: Function {
        Function("auth") {
            [
                post("/v1/token", token),
                post("/v1/signup", signUp),
                get("/v1/user", user),
                put("/v1/user", updateUser),
                post("/v1/logout", logout),
                post("/v1/recover", recover),
                post("/v1/otp", otp),
                post("/v1/magiclink", otp),
                post("/v1/verify", verify),
                get("/v1/verify", verifyLink),
                post("/v1/resend", resend),
                get("/v1/admin/users", adminListUsers),
                post("/v1/admin/users", adminCreateUser),
                get("/v1/admin/users/:id", adminUser),
                put("/v1/admin/users/:id", adminUpdateUser),
                delete("/v1/admin/users/:id", adminDeleteUser),
                get("/v1/settings", settingsPage),
                get("/v1/health", health),
                get("/v1/.well-known/jwks.json", publicKeys),
            ].map { $0.open() }
        }
        .with(AuthErrorFormat.middleware, AccountDatabase.middleware)
        .unlisted()
    }
}
