internal import Synchronization

/// Decides whether a bearer token counts, and for whom.
///
/// Tokens that were verified are remembered, within bounds: those with public keys as their verification takes 30 to
/// 150 µs, HS256 ones as theirs takes 1 µs, a tenth of a request. `exp` and `nbf` are judged every time.
package final class TokenVerifier: Sendable {
    /// Longer tokens are refused unread.
    package static let maximumTokenBytes = 8192

    private let secret: HMACKey?
    private let knownKeys: [KnownKey]
    private let policy: ClaimPolicy
    private let clock: @Sendable () -> Double
    private let publicKeys: Mutex<VerifiedTokens>
    private let recent = Mutex(RecentTokens())

    /// An opaque key, or a JWT that stands for its role because the configuration says so.
    private struct KnownKey: Sendable {
        let secret: Secret
        let user: User
    }

    /// `clock` gives seconds since 1970.
    package init(
        secret: Secret?,
        keys: KeySet = KeySet(),
        anonymousKey: Secret? = nil,
        serviceKey: Secret? = nil,
        policy: ClaimPolicy = ClaimPolicy(),
        clock: @escaping @Sendable () -> Double
    ) throws(KeyError) {
        self.secret = if let secret { try HMACKey(secret) } else { nil }
        knownKeys = [(anonymousKey, User.anonymous), (serviceKey, User.serviceRole)].compactMap { secret, user in
            secret.flatMap { $0.count > 0 ? KnownKey(secret: $0, user: user) : nil }
        }
        self.policy = policy
        self.clock = clock
        publicKeys = Mutex(VerifiedTokens(keys: keys))
    }

    /// Takes effect for the next token, cached ones included.
    package func replaceKeys(_ keys: KeySet) {
        publicKeys.withLock { $0 = VerifiedTokens(keys: keys, generation: $0.generation + 1) }
    }

    /// Takes the value of an `Authorization` field: the scheme in any case (RFC 9110 §11.1), blanks, the token.
    package func verify(authorization: Span<UInt8>) throws(TokenError) -> User {
        let scheme: StaticString = "bearer"
        var index = scheme.utf8CodeUnitCount
        guard authorization.count > index, authorization[index] == UInt8(ascii: " ") else { throw .missing }
        for index in 0..<index where unsafe authorization[index] | 0x20 != scheme.utf8Start[index] { throw .missing }
        while index < authorization.count, authorization[index] == UInt8(ascii: " ") { index &+= 1 }
        return try verify(bearer: authorization.extracting(index...))
    }

    package func verify(bearer token: Span<UInt8>) throws(TokenError) -> User {
        guard !token.isEmpty else { throw .missing }
        guard token.count <= Self.maximumTokenBytes else { throw .tooLarge }
        for known in knownKeys where known.secret.isEqual(to: token) { return known.user }
        let parts = try TokenParts(token)
        let user: User
        if parts.hasUsualHeader {
            user = try verifyHS256(parts)
        } else {
            guard let bytes = Base64URL.decode(parts.header) else { throw .malformed }
            let header = try TokenHeader(bytes.span)
            user = header.algorithm == .hs256 ? try verifyHS256(parts) : try verifyPublic(parts, header)
        }
        try policy.check(user, at: clock())
        return user
    }

    /// A loop that finds the memory in use by another one does not wait for it.
    private func verifyHS256(_ parts: TokenParts) throws(TokenError) -> User {
        guard let hash = RecentTokens.hash(parts.token) else { return try verifySignature(parts) }
        let token = parts.token
        if let user = recent.withLockIfAvailable({ $0.user(for: token, hash: hash) }) ?? nil { return user }
        let user = try verifySignature(parts)
        _ = recent.withLockIfAvailable { $0.insert(user, for: token, hash: hash) }
        return user
    }

    private func verifySignature(_ parts: TokenParts) throws(TokenError) -> User {
        guard let secret else { throw .unknownKey }
        var signature = SHA256Digest(repeating: 0)
        var target = signature.mutableSpan
        guard Base64URL.decode(parts.signature, into: &target) else { throw .badSignature }
        guard let expected = secret.code(for: parts.signed), isEqualInConstantTime(expected.span, signature.span) else {
            throw .badSignature
        }
        return try Self.user(parts)
    }

    private func verifyPublic(_ parts: TokenParts, _ header: TokenHeader) throws(TokenError) -> User {
        guard let digest = TokenDigest(parts.token) else { throw .badSignature }
        let (cached, key, generation) = publicKeys.withLock { state in
            (state[digest], state.keys.key(for: header.algorithm, keyID: header.keyID), state.generation)
        }
        if let cached { return cached }
        guard let key else { throw .unknownKey }
        guard let signature = Base64URL.decode(parts.signature) else { throw .malformed }
        guard key.isValid(signature.span, for: parts.signed) else { throw .badSignature }
        let user = try Self.user(parts)
        let now = clock()
        publicKeys.withLock { $0.insert(user, for: digest, verifiedBy: generation, at: now) }
        return user
    }

    /// Only called for what has been verified: nobody else gets to feed the JSON reader.
    private static func user(_ parts: TokenParts) throws(TokenError) -> User {
        guard let payload = Base64URL.decode(parts.payload) else { throw .malformed }
        return try User(payload: payload)
    }
}
