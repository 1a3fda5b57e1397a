/// The current keys, and the users of tokens that were verified with them.
///
/// Only verified tokens are inserted, so that nobody without a key can fill it.
struct VerifiedTokens: Sendable {
    static let maximumTokens = 512

    let keys: KeySet
    /// Identifies the keys: grows with every replacement.
    let generation: Int
    private var users: [TokenDigest: User] = [:]

    init(keys: KeySet, generation: Int = 0) {
        self.keys = keys
        self.generation = generation
    }

    var count: Int { users.count }

    subscript(digest: TokenDigest) -> User? { users[digest] }

    /// When full, expired tokens are removed, or else all: starting over is cheaper than tracking an order of use.
    ///
    /// `generation` identifies the keys that verified the token: when they were replaced meanwhile, it is not inserted.
    mutating func insert(_ user: User, for digest: TokenDigest, verifiedBy generation: Int, at now: Double) {
        guard generation == self.generation else { return }
        if users.count >= Self.maximumTokens {
            users = users.filter { ($0.value.expires ?? 0) > now }
            if users.count >= Self.maximumTokens { users.removeAll(keepingCapacity: true) }
        }
        users[digest] = user
    }
}
