import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension AuthAPI {
    /// `GET /health`.
    func health(_ request: Request, _ context: Context) async throws -> Response {
        .json(
            .ok,
            [
                "version": "swiftlet", "name": "GoTrue",
                "description": "GoTrue is a user registration and authentication API",
            ]
        )
    }

    /// `GET /settings`: the enabled sign-in methods.
    func settingsPage(_ request: Request, _ context: Context) async throws -> Response {
        Response.json { json in
            json.object { json in
                json.key("external")
                json.object { json in
                    json.member("anonymous_users", settings.allowsAnonymousUsers)
                    for name in Self.providers { json.member(name, services.isEnabled(name.description)) }
                    json.member("email", true)
                    json.member("phone", services.hasPhones)
                }
                json.member("disable_signup", settings.isSignUpDisabled)
                json.member("mailer_autoconfirm", services.confirmsAtOnce)
                json.member("phone_autoconfirm", settings.confirmsPhonesAtOnce)
                json.member("sms_provider", "")
                json.member("saml_enabled", false)
                json.member("passkeys_enabled", settings.passkeys.isEnabled)
            }
        }
    }

    /// `GET /.well-known/jwks.json`: all public keys of our tokens; none for HS256.
    func publicKeys(_ request: Request, _ context: Context) async throws -> Response {
        var response = Response.json(.ok, services.keys.published)
        response.headers.append(.cacheControl, "public, max-age=600")
        response.isCacheable = true
        return response
    }

    /// GoTrue's, whether they are configured or not.
    static let providers: [StaticString] = [
        "apple", "azure", "bitbucket", "discord", "facebook", "figma", "fly", "github", "gitlab", "google", "kakao",
        "keycloak", "linkedin", "linkedin_oidc", "notion", "slack", "slack_oidc", "snapchat", "spotify", "twitch",
        "twitter", "workos", "zoom",
    ]
}

extension Services {
    /// Whether users can sign in at the provider, by redirect or by its ID tokens.
    fileprivate func isEnabled(_ name: String) -> Bool {
        identities.isEnabled(name) || redirects.contains { $0.name == name }
    }
}
