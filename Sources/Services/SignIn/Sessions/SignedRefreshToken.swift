import SwiftletBytes
import SwiftletAuth

/// GoTrue's newer kind of refresh token: Base64URL of version 0, the session's id, a counter, the first half of the
/// HMAC-SHA256 of all that under the session's key, and a checksum of four bytes of SHA-256.
struct SignedRefreshToken: Hashable, Sendable {
    let sessionID: String
    let counter: Int
    private let signed: [UInt8]
    private let signature: [UInt8]

    private static let signatureBytes = 16
    private static let checksumBytes = 4
    private static let minimumBytes = 1 + 16 + 1 + signatureBytes + checksumBytes

    /// nil for any other text. Does not check the signature, see ``isSigned(by:)``.
    init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count >= Self.minimumBytes, bytes[0] == 0 else { return nil }
        let checked = Array(bytes.dropLast(Self.checksumBytes))
        guard let digest = try? MessageDigest.sha256(checked),
            digest.prefix(Self.checksumBytes) == bytes.suffix(Self.checksumBytes)
        else { return nil }
        signed = Array(checked.dropLast(Self.signatureBytes))
        signature = Array(checked.suffix(Self.signatureBytes))
        guard let counter = Self.readCounter(signed.dropFirst(17)) else { return nil }
        self.counter = counter
        sessionID = UUIDText.text(signed[1..<17])
    }

    func isSigned(by key: HMACKey) -> Bool {
        guard let code = try? key.authenticate(signed) else { return false }
        return isEqualInConstantTime(Array(code.prefix(Self.signatureBytes)).span, signature.span)
    }

    /// The session's token with this counter.
    static func make(sessionID: String, counter: Int, _ key: HMACKey) throws(KeyError) -> String {
        var bytes: [UInt8] = [0]
        bytes += Hexadecimal.decode(sessionID.filter { $0 != "-" }) ?? []
        var rest = UInt64(max(0, counter))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
        bytes += try key.authenticate(bytes).prefix(signatureBytes)
        bytes += try MessageDigest.sha256(bytes).prefix(checksumBytes)
        return Base64URL.encode(bytes.span)
    }

    /// The key from `auth.sessions`: Base64 with either alphabet. nil if it is missing, or encrypted with a key of
    /// GoTrue.
    static func key(_ stored: String?) -> HMACKey? {
        guard let stored else { return nil }
        let text = stored.replacing("+", with: "-").replacing("/", with: "_").filter { $0 != "=" }
        guard let bytes = Base64URL.decode(text) else { return nil }
        return try? HMACKey(Secret(bytes.span))
    }

    /// A little-endian base-128 number (varint); nil if it is malformed or too large for an `Int`.
    private static func readCounter(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(bytes.count) else { return nil }
        var value = 0
        for (position, byte) in bytes.enumerated() {
            value |= Int(byte & 0x7F) << (7 * position)
            guard (byte & 0x80 == 0) == (position == bytes.count - 1) else { return nil }
        }
        return value
    }
}
