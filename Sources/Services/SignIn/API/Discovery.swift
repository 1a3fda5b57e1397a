import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

extension AuthAPI {
    /// `GET /.well-known/openid-configuration`: how others verify our tokens by their issuer. The endpoints of the OAuth
    /// server are named, as GoTrue names its own, and say that it is off.
    func discovery(_ request: Request, _ context: Context) async throws -> Response {
        let issuer = settings.issuer
        let scopes: JSONValue = ["openid", "profile", "email", "phone"]
        let clients: JSONValue = ["client_secret_basic", "client_secret_post", "none"]
        let claims: JSONValue = [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified", "phone_number",
            "phone_number_verified", "name", "picture", "preferred_username", "updated_at",
        ]
        var response = Response.json(
            .ok,
            [
                "issuer": .string(issuer),
                "authorization_endpoint": .string(issuer + "/oauth/authorize"),
                "token_endpoint": .string(issuer + "/oauth/token"),
                "jwks_uri": .string(issuer + "/.well-known/jwks.json"),
                "userinfo_endpoint": .string(issuer + "/oauth/userinfo"),
                "scopes_supported": scopes,
                "response_types_supported": ["code"],
                "response_modes_supported": ["query"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": .array(algorithms),
                "token_endpoint_auth_methods_supported": clients,
                "claims_supported": claims,
                "code_challenge_methods_supported": ["S256", "plain"],
            ]
        )
        response.headers.append(.cacheControl, "public, max-age=600")
        response.isCacheable = true
        return response
    }

    /// Those of the published keys; a secret's where there is none.
    private var algorithms: [JSONValue] {
        let names = services.keys.published["keys"]?.array?.compactMap { $0["alg"]?.string } ?? []
        return Set(names.isEmpty ? ["HS256"] : names).sorted().map(JSONValue.string)
    }
}
