import SwiftletHTTP
import SwiftletJSON
import SwiftletTesting
import Testing

@testable import SwiftletSignIn

/// What GoTrue has and this server has not is refused by GoTrue's name for it.
@Suite(.needsDatabase, .hangLimit)
struct UnbuiltEndpointTests {
    @Test func `says of what it does not have that it is off`() async throws {
        try await SignInServer.start().use { server in
            let id = RandomID.make()
            let wanted: [(SwiftletHTTP.Method, String, String)] = [
                (.post, "/sso", "saml_provider_disabled"), (.get, "/sso/saml/metadata", "saml_provider_disabled"),
                (.post, "/sso/saml/acs", "saml_provider_disabled"),
                (.get, "/admin/sso/providers", "saml_provider_disabled"),
                (.put, "/admin/sso/providers/\(id)", "saml_provider_disabled"),
                (.get, "/oauth/authorize", "feature_disabled"), (.post, "/oauth/token", "feature_disabled"),
                (.post, "/oauth/clients/register", "feature_disabled"),
                (.get, "/oauth/authorizations/\(id)", "feature_disabled"),
                (.post, "/oauth/authorizations/\(id)/consent", "feature_disabled"),
                (.get, "/user/oauth/grants", "feature_disabled"),
                (.get, "/admin/oauth/clients", "feature_disabled"),
                (.post, "/admin/oauth/clients/\(id)/regenerate_secret", "feature_disabled"),
                (.get, "/admin/custom-providers", "feature_disabled"),
                (.get, "/admin/scim-providers", "feature_disabled"), (.get, "/scim/v2/Users", "feature_disabled"),
            ]
            for (method, path, code) in wanted {
                let answer = try await server.auth(method, path, token: SignInServer.serviceKey)
                #expect(answer.status == 404, "\(path) \(answer.json)")
                #expect(answer.code == code, "\(path) \(answer.json)")
                guard path.hasPrefix("/admin") else { continue }
                #expect(try await server.auth(method, path).code == "no_authorization", "\(path)")
            }
            let wallet = try await server.auth(.post, "/token?grant_type=web3", [:])
            #expect(wallet.status == 422)
            #expect(wallet.code == "web3_provider_disabled")
        }
    }
}
