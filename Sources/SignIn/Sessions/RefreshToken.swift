internal import Auth

/// What a client shows to get its next access token.
enum RefreshToken: Sendable {
    /// A row of `auth.refresh_tokens`; the ones that are made here.
    case stored(String)
    /// Of GoTrue's second kind: there is no row, it says its session and place by itself.
    case signed(SignedRefreshToken)

    /// nil for what nobody can have been given.
    init?(_ text: String) {
        guard (1...255).contains(text.utf8.count), !text.utf8.contains(0) else { return nil }
        if let signed = SignedRefreshToken(text) {
            self = .signed(signed)
        } else {
            self = .stored(text)
        }
    }

    /// Twelve random characters of Base32 in lower case: 60 bits, which nobody guesses through a database.
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
