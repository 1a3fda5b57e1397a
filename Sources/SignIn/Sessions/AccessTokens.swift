import Auth
import JSON
import Web

/// Issues the access tokens of sessions.
struct AccessTokens: Sendable {
    let issuer: TokenIssuer
    let issuerName: String
    let lifetimeSeconds: Int
    let clock: ServerClock

    struct Issued: Sendable {
        let token: String
        let lifetimeSeconds: Int
        let expires: Int
    }

    func issue(_ session: OpenSession) throws(KeyError) -> Issued {
        let now = clock.milliseconds() / 1000
        let expires = now + lifetimeSeconds
        let token = try issuer.issue(payload: payload(session, issuedAt: now, expires: expires))
        return Issued(token: token, lifetimeSeconds: lifetimeSeconds, expires: expires)
    }

    private func payload(_ session: OpenSession, issuedAt now: Int, expires: Int) -> [UInt8] {
        let account = session.account
        var json = JSONWriter(minimumCapacity: 1024)
        json.beginObject()
        json.member("iss", issuerName)
        json.member("sub", account.id)
        json.member("aud", account.audience.isEmpty ? "authenticated" : account.audience)
        json.member("exp", expires)
        json.member("iat", now)
        json.member("email", account.email)
        json.member("phone", account.phone)
        json.member("app_metadata", .object(account.appMetadata))
        json.member("user_metadata", .object(account.userMetadata))
        json.member("role", account.role.isEmpty ? "authenticated" : account.role)
        json.member("aal", session.assurance)
        json.key("amr")
        json.beginArray()
        for method in session.methods {
            json.object { json in
                json.member("method", method.name)
                json.member("timestamp", method.seconds)
            }
        }
        json.endArray()
        json.member("session_id", session.id)
        json.member("is_anonymous", account.isAnonymous)
        json.endObject()
        return json.finish()
    }
}
