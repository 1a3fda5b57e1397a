import SwiftletBytes
import SwiftletAuth

/// What a client sends with the request for a mail, so that only this client can exchange the code that the link leads
/// to for a session (PKCE, RFC 7636 §4).
struct CodeChallenge: Hashable, Sendable {
    /// How ``text`` is made of the verifier, as GoTrue stores it.
    enum Method: String, Sendable {
        case sha256 = "s256"
        case plain
    }

    let text: String
    let method: Method

    /// RFC 7636 §4.2.
    private static let lengths = 43...128

    /// `code_challenge` and `code_challenge_method` of a request; nil if there are none. Throws ``SignInError`` 400
    /// `validation_failed`.
    init?(_ fields: Fields) throws(SignInError) {
        try self.init(text: fields.text("code_challenge"), method: fields.text("code_challenge_method"))
    }

    /// The same; empty strings count as missing.
    init?(text: String?, method name: String?) throws(SignInError) {
        let (text, name) = (text?.isEmpty == true ? nil : text, name?.isEmpty == true ? nil : name)
        if text == nil, name == nil { return nil }
        guard let text, let name else {
            throw .invalid("PKCE flow requires code_challenge_method and code_challenge")
        }
        guard let method = Method(rawValue: name.lowercased()) else {
            throw .invalid("code_challenge_method must be s256 or plain")
        }
        guard Self.lengths.contains(text.utf8.count) else {
            throw .invalid("code challenge has to be between 43 and 128 characters")
        }
        guard text.utf8.allSatisfy(Self.isUnreserved) else {
            throw .invalid(
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes"
            )
        }
        self.init(text: text, method: method)
    }

    init(text: String, method: Method) {
        self.text = text
        self.method = method
    }

    /// Whether the challenge was made of this verifier, in a time that depends on their lengths only.
    func isMade(of verifier: String) throws(KeyError) -> Bool {
        switch method {
        case .sha256:
            let digest = try MessageDigest.sha256(Array(verifier.utf8))
            return MessageDigest.isEqual(Base64URL.encode(digest.span), text)
        case .plain: return MessageDigest.isEqual(verifier, text)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
