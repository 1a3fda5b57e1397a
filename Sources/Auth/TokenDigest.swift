/// The SHA-256 digest of a whole token, as a dictionary key.
struct TokenDigest: Hashable, Sendable {
    private let first, second, third, fourth: UInt64

    /// nil when OpenSSL fails.
    init?(_ token: borrowing Span<UInt8>) {
        guard let start = Self.start, var context = SHA256(), let digest = context.digest(start, token) else {
            return nil
        }
        func word(_ position: Int) -> UInt64 {
            (position..<position + 8).reduce(0) { $0 &<< 8 | UInt64(digest[$1]) }
        }
        first = word(0)
        second = word(8)
        third = word(16)
        fourth = word(24)
    }

    private static let start = try? SHA256.Prefix(Span())
}
