import SwiftletBytes
import SwiftletJSON

/// A cache of recently verified tokens and their users: a client sends the same token for an hour, and its signature
/// does not change.
///
/// Only verified tokens are inserted. Each has one slot and replaces what was there: bounded, without an order of use.
/// The slot is found by a hash of the signature, which differs whenever anything in a token does, under a random key
/// per process (SipHash). Bytes are compared only when all 64 bits of the hash agree, so that the response time reveals
/// nothing about a signature.
struct RecentTokens: Sendable {
    static let slots = 4096
    /// Larger tokens are verified each time.
    static let maximumTokenBytes = 12_288
    /// All tokens with their payloads. Usual ones fill every slot with half of it; beyond it, the cache starts anew.
    static let maximumBytes = 16 << 20

    private struct Entry {
        let hash: Int
        let token: [UInt8]
        let user: User

        var bytes: Int { token.count + user.payload.count }
    }

    private var entries: [Entry?] = []
    private(set) var bytes = 0
    /// Identifies the public keys that the tokens were verified with: grows with every replacement.
    private(set) var generation = 0

    func user(for token: borrowing Span<UInt8>, hash: Int) -> User? {
        guard !entries.isEmpty, let entry = entries[Self.slot(hash)], entry.hash == hash,
            entry.token.span.isIdentical(to: token)
        else { return nil }
        return entry.user
    }

    /// `generation` is that of before the verification: if the keys were replaced meanwhile, nothing is inserted.
    mutating func insert(_ user: User, for token: borrowing Span<UInt8>, hash: Int, generation: Int) {
        guard generation == self.generation else { return }
        let entry = Entry(hash: hash, token: Array(copying: token), user: user)
        if bytes + entry.bytes > Self.maximumBytes { empty() }
        if entries.isEmpty { entries = Array(repeating: nil, count: Self.slots) }
        let slot = Self.slot(hash)
        bytes += entry.bytes - (entries[slot]?.bytes ?? 0)
        entries[slot] = entry
    }

    /// Call after public keys were replaced.
    mutating func forgetAll() {
        empty()
        generation += 1
    }

    private mutating func empty() {
        entries = []
        bytes = 0
    }

    /// nil for a token that is too large for the cache.
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
