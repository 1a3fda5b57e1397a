import SwiftletAuth
import SwiftletBytes
import SwiftletJSON

/// What the browser or the system says of a ceremony, `clientDataJSON` (WebAuthn §5.8.1). Its hash is signed.
struct ClientData: Sendable {
    enum Ceremony: String, Sendable {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    let ceremony: Ceremony
    let challenge: [UInt8]
    let origin: String
    let isCrossOrigin: Bool
    let hash: [UInt8]

    private static let maximumBytes = 8192

    init(_ bytes: [UInt8]) throws(PasskeyFault) {
        guard bytes.count <= Self.maximumBytes, let object = try? JSONParser.parse(bytes).object,
            let type = object["type"]?.string, let challenge = object["challenge"]?.string,
            let origin = object["origin"]?.string, let decoded = Base64URL.decode(challenge),
            let hash = try? MessageDigest.sha256(bytes)
        else { throw .malformed }
        guard let ceremony = Ceremony(rawValue: type) else { throw .wrongType }
        self.ceremony = ceremony
        self.challenge = decoded
        self.origin = origin
        self.hash = hash
        isCrossOrigin = object["crossOrigin"]?.bool ?? false
    }
}
