import SwiftletHTTP
import SwiftletWeb

/// Endpoints of GoTrue that this server does not have. They answer as GoTrue does where they are turned off, so that a
/// client can tell "not here" from a wrong address. docs/sign-in.md lists them.
extension AuthAPI {
    @FunctionBuilder var unbuiltRoutes: [FunctionPart] {
        let saml = refusing(with: .noSAML)
        let server = refusing(with: .noOAuthServer)
        let scim = refusing(with: .noSCIM)
        let adminSAML = refusingAdministrators(with: .noSAML)
        let adminServer = refusingAdministrators(with: .noOAuthServer)
        let adminSCIM = refusingAdministrators(with: .noSCIM)
        let adminCustom = refusingAdministrators(with: .noCustomProviders)
        Post("/v1/sso", saml)
        Get("/v1/sso/saml/metadata", saml)
        Post("/v1/sso/saml/acs", saml)
        Get("/v1/admin/sso/providers", adminSAML)
        Post("/v1/admin/sso/providers", adminSAML)
        Get("/v1/admin/sso/providers/:id", adminSAML)
        Put("/v1/admin/sso/providers/:id", adminSAML)
        Delete("/v1/admin/sso/providers/:id", adminSAML)
        Get("/v1/.well-known/oauth-authorization-server", server)
        Post("/v1/oauth/clients/register", server)
        Get("/v1/oauth/authorize", server)
        Post("/v1/oauth/token", server)
        Get("/v1/oauth/userinfo", server)
        Get("/v1/oauth/authorizations/:id", server)
        Post("/v1/oauth/authorizations/:id/consent", server)
        Get("/v1/user/oauth/grants", server)
        Delete("/v1/user/oauth/grants", server)
        Get("/v1/admin/oauth/clients", adminServer)
        Post("/v1/admin/oauth/clients", adminServer)
        Get("/v1/admin/oauth/clients/:id", adminServer)
        Put("/v1/admin/oauth/clients/:id", adminServer)
        Delete("/v1/admin/oauth/clients/:id", adminServer)
        Post("/v1/admin/oauth/clients/:id/regenerate_secret", adminServer)
        Get("/v1/admin/custom-providers", adminCustom)
        Post("/v1/admin/custom-providers", adminCustom)
        Get("/v1/admin/custom-providers/:id", adminCustom)
        Put("/v1/admin/custom-providers/:id", adminCustom)
        Delete("/v1/admin/custom-providers/:id", adminCustom)
        Get("/v1/admin/scim-providers", adminSCIM)
        Post("/v1/admin/scim-providers", adminSCIM)
        Get("/v1/admin/scim-providers/:id", adminSCIM)
        Delete("/v1/admin/scim-providers/:id", adminSCIM)
        Post("/v1/admin/scim-providers/:id/rotate-token", adminSCIM)
        Get("/v1/scim/v2/Users", scim)
        Post("/v1/scim/v2/Users", scim)
        Get("/v1/scim/v2/Users/:id", scim)
        Get("/v1/scim/v2/ServiceProviderConfig", scim)
        Get("/v1/scim/v2/ResourceTypes", scim)
        Get("/v1/scim/v2/Schemas", scim)
    }

    private func refusing(with error: SignInError) -> Handler { { _, _ in throw error } }

    /// Nobody else learns even that.
    private func refusingAdministrators(with error: SignInError) -> Handler {
        { request, _ in
            try await requireAdministrator(request)
            throw error
        }
    }
}

extension SignInError {
    static let noWallets = SignInError(
        .unprocessableContent,
        "web3_provider_disabled",
        "Web3 provider is disabled"
    )
    fileprivate static let noSAML = SignInError(.notFound, "saml_provider_disabled", "SAML 2.0 is disabled")
    fileprivate static let noOAuthServer = SignInError(.notFound, "feature_disabled", "OAuth server is disabled")
    fileprivate static let noSCIM = SignInError(.notFound, "feature_disabled", "SCIM is disabled")
    fileprivate static let noCustomProviders = SignInError(
        .notFound,
        "feature_disabled",
        "Custom OAuth providers are disabled"
    )
}
