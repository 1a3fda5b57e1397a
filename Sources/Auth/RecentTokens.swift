/// The HS256 tokens that came last and whom they stand for: a client sends the same one for an hour, and its signature
/// stays as good as it was.
///
/// Only verified tokens get in. Each has one slot, the newest wins: bounded, with no order of use to keep. The slot is
/// found by a hash of the signature, which differs where anything in a token does, under a key that is random in each
/// process (SipHash). Bytes are compared only when all 64 bits of it agree, so that the time an answer takes tells
/// nothing about a signature.
struct RecentTokens: Sendable {
    static let slots = 512
    /// Larger tokens are verified each time.
    static let maximumTokenBytes = 2048

    private struct Entry {
        let hash: Int
        let token: [UInt8]
        let user: User
    }

    private var entries: [Entry?] = []

    func user(for token: borrowing Span<UInt8>, hash: Int) -> User? {
        guard !entries.isEmpty, let entry = entries[Self.slot(hash)], entry.hash == hash,
            entry.token.span.isIdentical(to: token)
        else { return nil }
        return entry.user
    }

    mutating func insert(_ user: User, for token: borrowing Span<UInt8>, hash: Int) {
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.slots) }
        entries[Self.slot(hash)] = Entry(hash: hash, token: Array(copying: token), user: user)
    }

    /// nil for a token that is too large to be kept.
    static func hash(_ token: borrowing TokenParts) -> Int? {
        guard token.token.count <= maximumTokenBytes else { return nil }
        var hasher = Hasher()
        unsafe token.signature.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private static func slot(_ hash: Int) -> Int { hash & (slots - 1) }
}

extension [UInt8] {
    fileprivate init(copying bytes: borrowing Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension Span<UInt8> {
    fileprivate func isIdentical(to other: borrowing Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while count &- index >= 8 {
            guard word(at: index) == other.word(at: index) else { return false }
            index &+= 8
        }
        while index < count {
            guard self[index] == other[index] else { return false }
            index &+= 1
        }
        return true
    }
}
