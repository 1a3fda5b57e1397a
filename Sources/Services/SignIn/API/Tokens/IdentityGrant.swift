import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `grant_type=id_token`: a session for an ID token of Apple, Google or another configured provider.
    func identityGrant(_ fields: Fields, _ client: ClientInfo, _ request: Request) async throws -> OpenSession {
        guard let token = try fields.text("id_token") else {
            throw SignInError.oauth("invalid request", "id_token required")
        }
        var identity = try await services.identities.verify(
            token,
            provider: try fields.text("provider"),
            issuer: try fields.text("issuer"),
            nonce: try fields.text("nonce"),
            accessToken: try fields.text("access_token")
        )
        // Apple leaves the address out where the app did not ask for it, or has asked before.
        identity.isEmailOptional = true
        let sessions = sessions
        let entrance = IdentityEntrance(api: self, client: client) { id, changes in
            try await sessions.open(for: id, by: .oauth, client: client, after: changes)
        }
        if try fields.bool("link_identity") == true {
            return try await entrance.link(identity, to: caller(request).account)
        }
        return try await entrance.enter(identity)
    }
}
