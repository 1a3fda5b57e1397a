import SwiftletAuth
import SwiftletBytes

/// What a device proves itself with: 256 random bits, of which the database holds the SHA-256 only. So many bits need no
/// slow hash.
struct DeviceSecret: Sendable {
    let text: String
    /// In hexadecimal digits.
    let hash: String

    init() throws {
        let bytes = try RandomBytes.make(count: 32)
        text = Hexadecimal.encode(bytes)
        hash = try Self.hash(of: text)
    }

    static func matches(_ text: String, hash: String) -> Bool {
        guard !hash.isEmpty, let given = try? self.hash(of: text) else { return false }
        return Secret(given) == Secret(hash)
    }

    private static func hash(of text: String) throws -> String {
        Hexadecimal.encode(try MessageDigest.sha256(Array(text.utf8)))
    }
}
