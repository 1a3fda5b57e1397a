import SwiftletAuth
import SwiftletJSON
import SwiftletWeb

/// Issues the access tokens of sessions.
struct AccessTokens: Sendable {
    let keys: SigningKeys
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
        let token = try keys.issuer.issue(payload: payload(session, issuedAt: now, expires: expires))
        return Issued(token: token, lifetimeSeconds: lifetimeSeconds, expires: expires)
    }

    /// The claims of a token that would be issued now, as JSON.
    func payload(_ session: OpenSession) -> [UInt8] {
        let now = clock.milliseconds() / 1000
        return payload(session, issuedAt: now, expires: now + lifetimeSeconds)
    }

    /// Issues a token with these claims, which have `exp`.
    func issue(_ claims: JSONObject) throws(KeyError) -> Issued {
        let token = try keys.issuer.issue(payload: Array(JSONValue.object(claims).description.utf8))
        let expires = claims["exp"]?.int ?? 0
        return Issued(
            token: token,
            lifetimeSeconds: max(0, expires - clock.milliseconds() / 1000),
            expires: expires
        )
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
