internal import JSON

/// A row of `auth.users` to be made.
struct NewAccount: Sendable {
    var id = RandomID.make()
    /// Lower-cased; nil for people without one.
    var email: String?
    var phone: String?
    var passwordHash: String?
    var role = "authenticated"
    var audience = "authenticated"
    var isEmailConfirmed = false
    var isPhoneConfirmed = false
    var isAnonymous = false
    var appMetadata: JSONObject = [:]
    var userMetadata: JSONObject = [:]
    /// Text of an interval in seconds; nil: not banned.
    var banSeconds: Int?
    var identities: [NewIdentity] = []
}

/// A row of `auth.identities` to be made.
struct NewIdentity: Sendable {
    let provider: String
    /// The person's id at the provider; for e-mail the account's own.
    let subject: String
    let data: JSONObject

    init(provider: String, subject: String, data: JSONObject) {
        self.provider = provider
        self.subject = subject
        self.data = data
    }

    /// Of who signs in by an address and a password.
    static func email(_ email: String, of id: String, isVerified: Bool) -> NewIdentity {
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
