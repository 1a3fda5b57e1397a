import SwiftletAuth
import SwiftletBytes

/// A code that counts once in place of a second factor: 80 random bits.
struct RecoveryCode: Sendable {
    /// Sixteen letters and digits, in lower case.
    let text: String

    private static let byteCount = 10
    private static let maximumCharacters = 64

    /// A new random code.
    init() throws(KeyError) {
        let bytes = try RandomBytes.make(count: Self.byteCount)
        text = Base32.encode(bytes).lowercased()
    }

    /// What somebody has typed: blanks, hyphens and case do not count. nil for text that is no code.
    init?(typed: String) {
        let letters = typed.lowercased().filter { !$0.isWhitespace && $0 != "-" }
        guard !letters.isEmpty, letters.utf8.count <= Self.maximumCharacters,
            letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
        text = letters
    }

    /// What is stored. A fast hash will do: nobody tries 2^80 codes.
    func hash(for userID: String) throws(KeyError) -> String {
        Self.prefix + Hexadecimal.encode(try MessageDigest.sha256(Array("\(userID):\(text)".utf8)))
    }

    static let prefix = "sha256$"
}
