/// The keys of the moment, and the tokens that were verified by them.
///
/// Only verified tokens get in, so that nobody without a key can fill it.
struct VerifiedTokens: Sendable {
    static let maximumTokens = 512

    let keys: KeySet
    /// Which keys these are: rises with every replacement.
    let generation: Int
    private var users: [TokenDigest: User] = [:]

    init(keys: KeySet, generation: Int = 0) {
        self.keys = keys
        self.generation = generation
    }

    var count: Int { users.count }

    subscript(digest: TokenDigest) -> User? { users[digest] }

    /// When it is full, expired tokens go first, then all: a fresh start is cheaper than keeping an order of use.
    ///
    /// `generation` says by which keys the token was verified: when they were replaced meanwhile, it is not kept.
    mutating func insert(_ user: User, for digest: TokenDigest, verifiedBy generation: Int, at now: Double) {
        guard generation == self.generation else { return }
        if users.count >= Self.maximumTokens {
            users = users.filter { ($0.value.expires ?? 0) > now }
            if users.count >= Self.maximumTokens { users.removeAll(keepingCapacity: true) }
        }
        users[digest] = user
    }
}
