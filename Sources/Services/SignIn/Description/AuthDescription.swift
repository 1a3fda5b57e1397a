package import SwiftletJSON

/// `/auth/v1` for people, as a document of OpenAPI. Clients of Supabase know it; `/openapi.json` is about the functions.
package enum AuthDescription {
    package static func document(version: String) -> JSONValue {
        var paths: JSONObject = [:]
        for operation in operations {
            var item = paths[operation.template]?.object ?? [:]
            item[operation.method.lowercased()] = operation.json
            paths[operation.template] = .object(item)
        }
        return [
            "openapi": "3.1.0", "info": ["title": "Sign-in", "version": .string(version)],
            "tags": [["name": "auth", "description": "Accounts and sessions, as Supabase's clients know them."]],
            "paths": .object(paths),
            "components": [
                "securitySchemes": ["token": ["type": "http", "scheme": "bearer", "bearerFormat": "JWT"]]
            ],
        ]
    }

    /// Of the routes beside `/auth/v1`, which `/openapi.json` describes.
    package static let summaries = [
        "mobile-auth": "Signing in for apps that know no other way.",
        "POST /mobile-auth/login": "Signs in with an address and a password.",
        "POST /mobile-auth/refresh": "Renews a session.",
        "devices": "Installations of an app that nobody signs in to.",
        "POST /devices": "Registers a device, or signs a known one in. A new one is told its secret this once.",
        "GET /devices/me": "Gets what the server knows of the device.",
        "PATCH /devices/me": "Changes what the server knows of the device.",
    ]

    static let operations: [AuthOperation] = [
        AuthOperation(
            "POST",
            "/v1/token",
            "Signs in, or renews a session",
            "`grant_type` says how: `password`, `refresh_token`, `id_token`, `pkce`. The answer has `access_token` and `refresh_token`; a refresh token counts once.",
            body: ["email?", "password?", "refresh_token?", "auth_code?", "code_verifier?", "id_token?", "provider?"],
            query: ["grant_type"]
        ),
        AuthOperation(
            "POST",
            "/v1/signup",
            "Creates an account",
            "With an address and a password, or with neither for an anonymous account.",
            body: ["email?", "phone?", "password?", "data?: object"],
            query: ["redirect_to?"]
        ),
        AuthOperation("GET", "/v1/user", "Gets the account that is signed in", for: .person),
        AuthOperation(
            "PUT",
            "/v1/user",
            "Changes the own account",
            for: .person,
            "A new address counts once it is confirmed.",
            body: ["email?", "phone?", "password?", "nonce?", "data?: object"]
        ),
        AuthOperation(
            "DELETE",
            "/v1/user",
            "Deletes the own account",
            for: .person,
            "With all of its sessions, factors and passkeys."
        ),
        AuthOperation("GET", "/v1/user/export", "Gets all that is kept of the own account", for: .person),
        AuthOperation(
            "GET",
            "/v1/reauthenticate",
            "Has a code mailed, before the password is changed",
            for: .person
        ),
        AuthOperation(
            "POST",
            "/v1/logout",
            "Signs out",
            for: .person,
            "`scope` says where: `global`, `local` or `others`.",
            query: ["scope?"]
        ),
        AuthOperation(
            "POST",
            "/v1/recover",
            "Has a link to set a password mailed",
            "The answer is the same whether there is an account or not.",
            body: ["email"],
            query: ["redirect_to?"]
        ),
        AuthOperation(
            "POST",
            "/v1/otp",
            "Has a code or a link to sign in sent",
            "By mail to `email`, as a text message to `phone`.",
            body: ["email?", "phone?", "create_user?: flag", "data?: object"],
            query: ["redirect_to?"]
        ),
        AuthOperation(
            "POST",
            "/v1/magiclink",
            "Has a link to sign in mailed",
            "The older name of `/otp`.",
            body: ["email"],
            query: ["redirect_to?"]
        ),
        AuthOperation(
            "POST",
            "/v1/verify",
            "Signs in by a code, or confirms an address by it",
            "`type` is what the code was sent for: `signup`, `email`, `sms`, `recovery`, `invite`, `email_change`.",
            body: ["type", "email?", "phone?", "token?", "token_hash?"]
        ),
        AuthOperation(
            "GET",
            "/v1/verify",
            "Follows a mailed link",
            "Leads on to `redirect_to`, with the session behind `#`.",
            query: ["token", "type", "redirect_to?"]
        ),
        AuthOperation("POST", "/v1/resend", "Has a code or link sent again", body: ["type", "email?", "phone?"]),
        AuthOperation(
            "GET",
            "/v1/admin/audit",
            "Lists what has happened to accounts",
            for: .service,
            query: ["page?: number", "per_page?: number"]
        ),
        AuthOperation(
            "GET",
            "/v1/admin/users",
            "Lists accounts",
            for: .service,
            query: ["page?: number", "per_page?: number"]
        ),
        AuthOperation(
            "POST",
            "/v1/admin/users",
            "Creates an account for somebody",
            for: .service,
            body: [
                "email?", "phone?", "password?", "email_confirm?: flag", "user_metadata?: object",
                "app_metadata?: object",
            ]
        ),
        AuthOperation("GET", "/v1/admin/users/:id", "Gets an account", for: .service),
        AuthOperation(
            "PUT",
            "/v1/admin/users/:id",
            "Changes an account",
            for: .service,
            "`ban_duration` is such as `24h`, or `none`.",
            body: ["email?", "phone?", "password?", "ban_duration?", "user_metadata?: object", "app_metadata?: object"]
        ),
        AuthOperation(
            "DELETE",
            "/v1/admin/users/:id",
            "Deletes an account",
            for: .service,
            body: ["should_soft_delete?: flag"]
        ),
        AuthOperation("GET", "/v1/settings", "Gets which ways to sign in there are"),
        AuthOperation("GET", "/v1/health", "Asks whether sign-in works"),
        AuthOperation("GET", "/v1/.well-known/jwks.json", "Gets the public keys that tokens are signed with"),
        AuthOperation("GET", "/v1/.well-known/openid-configuration", "Gets how tokens are verified by their issuer"),
        AuthOperation(
            "POST",
            "/v1/invite",
            "Invites somebody by mail",
            for: .service,
            body: ["email", "data?: object"],
            query: ["redirect_to?"]
        ),
        AuthOperation(
            "POST",
            "/v1/admin/invite",
            "Invites somebody by mail",
            for: .service,
            "The same as `/invite`.",
            body: ["email", "data?: object"],
            query: ["redirect_to?"]
        ),
        AuthOperation(
            "POST",
            "/v1/admin/generate_link",
            "Makes a link that mails would have",
            for: .service,
            "For mails that you send yourself.",
            body: ["type", "email", "password?", "redirect_to?"]
        ),
        AuthOperation(
            "GET",
            "/v1/authorize",
            "Signs in with another service",
            "Leads to the provider's page, and back to `redirect_to`.",
            query: ["provider", "redirect_to?", "code_challenge?", "code_challenge_method?"]
        ),
        AuthOperation(
            "GET",
            "/v1/callback",
            "Comes back from another service",
            "Where the provider leads to; apps do not call it.",
            query: ["code?", "state?"]
        ),
        AuthOperation(
            "POST",
            "/v1/callback",
            "Comes back from another service, by a form",
            "As Apple does; apps do not call it."
        ),
        AuthOperation(
            "GET",
            "/v1/user/identities/authorize",
            "Links another service to the own account",
            for: .person,
            query: ["provider", "redirect_to?"]
        ),
        AuthOperation("DELETE", "/v1/user/identities/:id", "Unlinks another service", for: .person),
        AuthOperation("GET", "/v1/factors/recovery-codes", "Gets how many recovery codes are left", for: .person),
        AuthOperation(
            "POST",
            "/v1/factors/recovery-codes",
            "Makes recovery codes",
            for: .person,
            "They are told this once."
        ),
        AuthOperation(
            "POST",
            "/v1/factors/recovery-codes/regenerate",
            "Makes recovery codes anew",
            for: .person,
            "The old ones end."
        ),
        AuthOperation(
            "POST",
            "/v1/factors/recovery-codes/verify",
            "Passes the second factor by a recovery code",
            for: .person,
            body: ["code"]
        ),
        AuthOperation("DELETE", "/v1/factors/recovery-codes", "Deletes the recovery codes", for: .person),
        AuthOperation(
            "POST",
            "/v1/factors",
            "Begins with a second factor",
            for: .person,
            "Of `factor_type` `totp` or `phone`. The answer has the QR code of a `totp`.",
            body: ["factor_type", "friendly_name?", "phone?"]
        ),
        AuthOperation("POST", "/v1/factors/:id/challenge", "Asks for a second factor", for: .person),
        AuthOperation(
            "POST",
            "/v1/factors/:id/verify",
            "Passes the second factor",
            for: .person,
            "The session has `aal2` then.",
            body: ["challenge_id", "code"]
        ),
        AuthOperation("DELETE", "/v1/factors/:id", "Removes a second factor", for: .person),
        AuthOperation("GET", "/v1/admin/users/:id/factors", "Lists the second factors of an account", for: .service),
        AuthOperation(
            "PUT",
            "/v1/admin/users/:id/factors/:factor",
            "Changes a second factor of an account",
            for: .service,
            body: ["friendly_name?"]
        ),
        AuthOperation(
            "DELETE",
            "/v1/admin/users/:id/factors/:factor",
            "Removes a second factor of an account",
            for: .service
        ),
        AuthOperation("POST", "/v1/passkeys/registration/options", "Begins to register a passkey", for: .person),
        AuthOperation(
            "POST",
            "/v1/passkeys/registration/verify",
            "Registers a passkey",
            for: .person,
            "With what the authenticator has answered.",
            body: ["challenge_id", "credential: object"]
        ),
        AuthOperation("POST", "/v1/passkeys/authentication/options", "Begins to sign in by passkey"),
        AuthOperation(
            "POST",
            "/v1/passkeys/authentication/verify",
            "Signs in by passkey",
            "With what the authenticator has answered.",
            body: ["challenge_id", "credential: object"]
        ),
        AuthOperation("GET", "/v1/passkeys", "Lists the own passkeys", for: .person),
        AuthOperation("PATCH", "/v1/passkeys/:id", "Renames a passkey", for: .person, body: ["friendly_name"]),
        AuthOperation("DELETE", "/v1/passkeys/:id", "Deletes a passkey", for: .person),
        AuthOperation("GET", "/v1/admin/users/:id/passkeys", "Lists the passkeys of an account", for: .service),
        AuthOperation(
            "DELETE",
            "/v1/admin/users/:id/passkeys/:passkey",
            "Deletes a passkey of an account",
            for: .service
        ),
    ]
}
