import SwiftletAuth
import SwiftletBytes
import SwiftletJSON

/// The random number that an authenticator has to sign, with what it is for.
struct PasskeyChallenge: Sendable {
    /// The values of GoTrue's column `challenge_type`.
    enum Kind: String, Sendable {
        case registration
        case authentication
    }

    let id: String
    let kind: Kind
    /// Base64URL.
    let text: String
    let requiresVerification: Bool
    /// The session that has asked for it, which alone may answer; nil for a sign-in.
    private let sessionID: String?

    /// WebAuthn §13.4.3 asks for 16 bytes at least.
    private static let byteCount = 32

    init(_ kind: Kind, _ settings: PasskeySettings, sessionID: String? = nil) throws(KeyError) {
        let bytes = try RandomBytes.make(count: Self.byteCount)
        id = RandomID.make()
        self.kind = kind
        text = Base64URL.encode(bytes.span)
        requiresVerification = settings.verification == .required
        self.sessionID = sessionID
    }

    /// What is stored, with the names of GoTrue's.
    var data: JSONValue {
        var data: JSONObject = [
            "challenge": .string(text), "userVerification": requiresVerification ? "required" : "preferred",
        ]
        if let sessionID { data["session_id"] = .string(sessionID) }
        return .object(data)
    }

    /// What has to be answered to stored data.
    struct Stored: Sendable {
        let bytes: [UInt8]
        let requiresVerification: Bool

        /// Throws ``PasskeyFault/wrongChallenge`` for data that is none.
        init(_ stored: String?) throws(PasskeyFault) {
            let data = try? JSONParser.parse(Array((stored ?? "").utf8))
            guard let text = data?["challenge"]?.string, let bytes = Base64URL.decode(text), bytes.count >= 16 else {
                throw .wrongChallenge
            }
            self.bytes = bytes
            requiresVerification = data?["userVerification"]?.string == "required"
        }
    }
}
