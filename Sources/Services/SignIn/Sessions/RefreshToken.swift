import SwiftletAuth

/// A refresh token as clients send it.
enum RefreshToken: Sendable {
    /// A row of `auth.refresh_tokens`; Swiftlet only issues these.
    case stored(String)
    /// GoTrue's newer kind, without a row: it contains its session and a counter.
    case signed(SignedRefreshToken)

    /// nil for a text that cannot be a token.
    init?(_ text: String) {
        guard (1...255).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        if let signed = SignedRefreshToken(text) {
            self = .signed(signed)
        } else {
            self = .stored(text)
        }
    }

    /// Twelve random Base32 characters in lower case: 60 bits, enough against guessing online.
    static func make() -> String {
        var word = RandomBytes.identifier().0
        var text: [UInt8] = []
        for _ in 0..<12 {
            text.append(alphabet[Int(word & 31)])
            word >>= 5
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
}
