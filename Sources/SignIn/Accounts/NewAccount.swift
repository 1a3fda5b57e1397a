internal import Auth
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

/// Random UUIDs (RFC 9562 §5.4), which tell nothing of when something was made.
enum RandomID {
    static func make() -> String {
        var (high, low) = RandomBytes.identifier()
        high = high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
        low = low & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return text(high, low)
    }

    /// The usual form, in lower case.
    static func text(_ high: UInt64, _ low: UInt64) -> String {
        let bytes = [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
        let digits = MessageDigest.hexadecimal(bytes)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(position) { text += "-" }
            text.append(digit)
        }
        return text
    }

    /// Whether a text is a UUID in the usual form, in lower case then; nil for anything else.
    static func normalised(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (position, byte) in bytes.enumerated() {
            if [8, 13, 18, 23].contains(position) {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    continue
                default: return nil
                }
            }
        }
        return text.lowercased()
    }
}
