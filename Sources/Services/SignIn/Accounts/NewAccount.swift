package import SwiftletJSON

/// A new row of `auth.users`.
struct NewAccount: Sendable {
    var id = RandomID.make()
    /// In lower case; nil for accounts without one.
    var email: String?
    /// A ``PhoneNumber``; nil for accounts without one.
    var phone: String?
    var passwordHash: String?
    var role = "authenticated"
    var audience = "authenticated"
    var isEmailConfirmed = false
    var isPhoneConfirmed = false
    var isAnonymous = false
    var appMetadata: JSONObject = [:]
    var userMetadata: JSONObject = [:]
    /// The duration of a ban in seconds; nil means not banned.
    var banSeconds: Int?
    var identities: [NewIdentity] = []
    /// Where the request comes from, for the audit log.
    var clientAddress = ""
    /// The administrator who makes it; nil for whoever signs up.
    var creator: Administrator?

    /// What the audit log says of it.
    var note: AuditEntry {
        if let creator { return creator.entry(.signedUp, id, email: email ?? "", phone: phone ?? "") }
        return AuditEntry(
            action: .signedUp,
            traits: ["provider": appMetadata["provider"] ?? "anonymous"],
            address: clientAddress
        )
    }
}

/// A new row of `auth.identities`.
package struct NewIdentity: Sendable {
    let provider: String
    /// The user's id at the provider; for `email` and `phone` the account's own id.
    let subject: String
    package let data: JSONObject

    /// The identity of an account that signs in with a phone number.
    package static func phone(_ number: String, of id: String, isVerified: Bool) -> NewIdentity {
        NewIdentity(
            provider: "phone",
            subject: id,
            data: [
                "sub": .string(id), "phone": .string(number), "email_verified": false,
                "phone_verified": .bool(isVerified),
            ]
        )
    }

    /// The identity of an account that signs in with an e-mail address.
    package static func email(_ email: String, of id: String, isVerified: Bool) -> NewIdentity {
        NewIdentity(
            provider: "email",
            subject: id,
            data: [
                "sub": .string(id), "email": .string(email), "email_verified": .bool(isVerified),
                "phone_verified": false,
            ]
        )
    }
}
