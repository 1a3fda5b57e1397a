import Bytes
import Synchronization

/// Verifies bearer tokens and finds their users.
///
/// Verified tokens are cached, in bounded memory: a verification with a public key takes 30 to 150 µs, an HS256 one
/// takes 1 µs, a tenth of a request. `exp` and `nbf` are checked every time.
package final class TokenVerifier: Sendable {
    /// Longer tokens are refused unread. Half the limit of a request's head: room for large user metadata.
    package static let maximumTokenBytes = 16_384

    private let secret: HMACKey?
    private let knownKeys: [KnownKey]
    private let policy = ClaimPolicy()
    private let clock: @Sendable () -> Double
    private let ownKeys: KeySet
    private let publicKeys: Mutex<KeySet>
    private let issuers: [ExternalIssuer]
    let recent = Mutex(RecentTokens())

    /// An opaque key, or a JWT that has its role because the configuration says so.
    private struct KnownKey: Sendable {
        let secret: Secret
        let user: User
    }

    /// `clock` returns seconds since 1970. `ownKeys`, with which this server signs, stay when `keys` are replaced.
    package init(
        secret: Secret?,
        keys: KeySet = KeySet(),
        ownKeys: KeySet = KeySet(),
        anonymousKey: Secret? = nil,
        serviceKey: Secret? = nil,
        issuers: [TrustedIssuer] = [],
        clock: @escaping @Sendable () -> Double
    ) throws(KeyError) {
        self.issuers = issuers.map { ExternalIssuer($0) }
        self.secret = if let secret { try HMACKey(secret) } else { nil }
        knownKeys = [(anonymousKey, User.anonymous), (serviceKey, User.serviceRole)].compactMap { secret, user in
            secret.flatMap { $0.count > 0 ? KnownKey(secret: $0, user: user) : nil }
        }
        self.clock = clock
        self.ownKeys = ownKeys
        publicKeys = Mutex(ownKeys.adding(keys))
    }

    /// Takes effect with the next token, also for cached ones.
    package func replaceKeys(_ keys: KeySet) {
        let all = ownKeys.adding(keys)
        if publicKeys.withLock({ $0.replace(with: all) }) { recent.withLock { $0.forgetAll() } }
    }

    /// Replaces the keys of a trusted issuer; without effect when there is none of that name.
    package func replaceKeys(_ keys: KeySet, of issuer: String) {
        if self.issuer(named: issuer)?.replaceKeys(keys) == true { recent.withLock { $0.forgetAll() } }
    }

    /// Whose keys are needed for a token that was refused with ``TokenError/unknownKey``; nil when no key would help.
    package func keyOwner(of token: borrowing Span<UInt8>) -> KeyOwner? {
        guard let token = try? IssuedToken(token) else { return nil }
        return issuer(named: token.issuer).map { .issuer($0.trusted.issuer) } ?? .server
    }

    /// Takes the value of an `Authorization` field: the scheme in any case (RFC 9110 §11.1), spaces, the token.
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
        guard let hash = RecentTokens.hash(parts) else { return try admitted(verify(parts)) }
        // A loop does not wait for another one that is using the cache if the signature is an HS256 one.
        let found =
            parts.hasUsualHeader
            ? recent.withLockIfAvailable { ($0.user(for: token, hash: hash), $0.generation) }
            : recent.withLock { ($0.user(for: token, hash: hash), $0.generation) }
        guard let (cached, generation) = found else { return try admitted(verify(parts)) }
        if let cached { return try admitted(cached) }
        let user = try admitted(verify(parts))
        _ = recent.withLockIfAvailable { $0.insert(user, for: token, hash: hash, generation: generation) }
        return user
    }

    /// Checks the claims of a user whose token has a valid signature.
    private func admitted(_ user: User) throws(TokenError) -> User {
        try policy(for: user).check(user, at: clock())
        return user
    }

    private func policy(for user: User) throws(TokenError) -> ClaimPolicy {
        guard user.isExternal else { return policy }
        guard let issuer = issuer(named: user.issuer) else { throw .wrongIssuer }
        return issuer.policy
    }

    private func verify(_ parts: TokenParts) throws(TokenError) -> User {
        if parts.hasUsualHeader { return try verifyHS256(parts) }
        guard let bytes = Base64URL.decode(parts.header) else { throw .malformed }
        let header = try TokenHeader(bytes.span)
        guard header.algorithm != .hs256 else { return try verifyHS256(parts) }
        if !issuers.isEmpty {
            let token = try IssuedToken(parts, header)
            if let issuer = issuer(named: token.issuer) { return try issuer.verify(token) }
        }
        return try verifyPublic(parts, header)
    }

    private func verifyHS256(_ parts: TokenParts) throws(TokenError) -> User {
        guard let secret else { throw .unknownKey }
        var signature = SHA256Digest(repeating: 0)
        var target = signature.mutableSpan
        guard Base64URL.decode(parts.signature, into: &target) else { throw .badSignature }
        guard let expected = secret.code(for: parts.signed), isEqualInConstantTime(expected.span, signature.span) else {
            throw .badSignature
        }
        return try ownUser(parts)
    }

    private func verifyPublic(_ parts: TokenParts, _ header: TokenHeader) throws(TokenError) -> User {
        let key = publicKeys.withLock { $0.key(for: header.algorithm, keyID: header.keyID) }
        guard let key else { throw .unknownKey }
        guard let signature = Base64URL.decode(parts.signature) else { throw .malformed }
        guard key.isValid(signature.span, for: parts.signed) else { throw .badSignature }
        return try ownUser(parts)
    }

    /// The user of a verified token of our own.
    private func ownUser(_ parts: TokenParts) throws(TokenError) -> User {
        guard let payload = Base64URL.decode(parts.payload) else { throw .malformed }
        let user = try User(payload: payload)
        // The server's own keys must not sign in the name of another issuer.
        if !issuers.isEmpty, issuer(named: user.issuer) != nil { throw .wrongIssuer }
        return user
    }

    private func issuer(named name: String?) -> ExternalIssuer? {
        name.flatMap { name in issuers.first { $0.trusted.issuer == name } }
    }
}
