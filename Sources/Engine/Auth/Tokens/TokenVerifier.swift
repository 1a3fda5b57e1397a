import SwiftletBytes
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
    private let policy: ClaimPolicy
    private let clock: @Sendable () -> Double
    private let publicKeys: Mutex<ServerKeySets>
    private let issuers: [ExternalIssuer]
    let recent = Mutex(RecentTokens())
    private let ended = EndedTokens()

    /// An opaque key, or a JWT that has its role because the configuration says so.
    private struct KnownKey: Sendable {
        let secret: Secret
        let user: User
    }

    /// The public keys that this server's tokens are verified with.
    private struct ServerKeySets: Sendable {
        var own: KeySet
        var others: KeySet
        private(set) var all: KeySet

        init(own: KeySet, others: KeySet) {
            self.own = own
            self.others = others
            all = own.adding(others)
        }

        /// Returns whether the keys have changed.
        mutating func combine() -> Bool { all.replace(with: own.adding(others)) }
    }

    /// `clock` returns seconds since 1970. `ownKeys`, with which this server signs, stay when `keys` are replaced.
    /// Without `requiresExpiry` a token of our own may lack `exp`, as keys that were made by hand for PostgREST do; those
    /// of other issuers must have it.
    package init(
        secret: Secret?,
        keys: KeySet = KeySet(),
        ownKeys: KeySet = KeySet(),
        anonymousKey: Secret? = nil,
        serviceKey: Secret? = nil,
        issuers: [TrustedIssuer] = [],
        requiresExpiry: Bool = true,
        clock: @escaping @Sendable () -> Double
    ) throws(KeyError) {
        self.issuers = issuers.map { ExternalIssuer($0) }
        self.secret = if let secret { try HMACKey(secret) } else { nil }
        knownKeys = [(anonymousKey, User.anonymous), (serviceKey, User.serviceRole)].compactMap { secret, user in
            secret.flatMap { $0.count > 0 ? KnownKey(secret: $0, user: user) : nil }
        }
        policy = ClaimPolicy(requiresExpiry: requiresExpiry)
        self.clock = clock
        publicKeys = Mutex(ServerKeySets(own: ownKeys, others: keys))
    }

    /// Takes effect with the next token, also for cached ones.
    package func replaceKeys(_ keys: KeySet) {
        replaceServerKeys { $0.others = keys }
    }

    /// The same for the keys that this server signs with.
    package func replaceOwnKeys(_ keys: KeySet) {
        replaceServerKeys { $0.own = keys }
    }

    /// The public keys of this server's tokens: its own, then those beside them.
    package var serverKeys: KeySet { publicKeys.withLock(\.all) }

    private func replaceServerKeys(_ change: (inout ServerKeySets) -> Void) {
        let haveChanged = publicKeys.withLock { keys in
            change(&keys)
            return keys.combine()
        }
        if haveChanged { recent.withLock { $0.forgetAll() } }
    }

    /// Replaces the keys of a trusted issuer; without effect when there is none of that name.
    package func replaceKeys(_ keys: KeySet, of issuer: String) {
        if self.issuer(named: issuer)?.replaceKeys(keys) == true { recent.withLock { $0.forgetAll() } }
    }

    /// Refuses the tokens of these sessions and accounts from now on, also cached ones, and no others'.
    package func refuseTokens(of ended: Set<TokenOwner>) { self.ended.replace(with: ended) }

    /// Whether the session or the account of a verified token has ended since.
    package func hasEnded(_ user: User) -> Bool { ended.contain(user) }

    /// Calls `observer` after each change of what ``hasEnded(_:)`` says, on any thread. It must not block.
    package func observeEnded(_ observer: @escaping @Sendable () -> Void) { ended.observe(observer) }

    /// Whose keys are needed for a token that was refused with ``TokenError/unknownKey``; nil when no key would help.
    package func keyOwner(of token: borrowing Span<UInt8>) -> KeyOwner? {
        guard let token = try? IssuedToken(token) else { return nil }
        return issuer(named: token.issuer).map { .issuer($0.trusted.issuer) } ?? .server
    }

    /// Takes the value of an `Authorization` field: the scheme in any case (RFC 9110 §11.1), spaces, the token.
    package func verify(
        authorization: Span<UInt8>,
        for use: TokenUse = .access
    ) throws(TokenError) -> User {
        let scheme: StaticString = "bearer"
        var index = scheme.utf8CodeUnitCount
        guard authorization.count > index, authorization[index] == UInt8(ascii: " ") else { throw .missing }
        for index in 0..<index where unsafe authorization[index] | 0x20 != scheme.utf8Start[index] { throw .missing }
        while index < authorization.count, authorization[index] == UInt8(ascii: " ") { index &+= 1 }
        return try verify(bearer: authorization.extracting(index...), for: use)
    }

    package func verify(bearer token: Span<UInt8>, for use: TokenUse = .access) throws(TokenError) -> User {
        guard !token.isEmpty else { throw .missing }
        guard token.count <= Self.maximumTokenBytes else { throw .tooLarge }
        for known in knownKeys where known.secret.isEqual(to: token) { return known.user }
        let parts = try TokenParts(token)
        guard let hash = RecentTokens.hash(parts) else { return try admitted(verify(parts), use) }
        // A loop does not wait for another one that is using the cache if the signature is an HS256 one.
        let found =
            parts.hasUsualHeader
            ? recent.withLockIfAvailable { ($0.user(for: token, hash: hash), $0.generation) }
            : recent.withLock { ($0.user(for: token, hash: hash), $0.generation) }
        guard let (cached, generation) = found else { return try admitted(verify(parts), use) }
        if let cached { return try admitted(cached, use) }
        let user = try admitted(verify(parts), use)
        _ = recent.withLockIfAvailable { $0.insert(user, for: token, hash: hash, generation: generation) }
        return user
    }

    /// Checks the claims of a user whose token has a valid signature.
    private func admitted(_ user: User, _ use: TokenUse) throws(TokenError) -> User {
        var now = clock()
        if use == .signOut, let expires = user.expires { now = min(now, expires.nextDown) }
        try policy(for: user).check(user, at: now)
        if use == .access, ended.contain(user) { throw .ended }
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
        let keys = publicKeys.withLock { $0.all.candidates(for: header.algorithm, keyID: header.keyID) }
        guard !keys.isEmpty else { throw .unknownKey }
        guard let signature = Base64URL.decode(parts.signature) else { throw .malformed }
        for key in keys where key.isValid(signature.span, for: parts.signed) { return try ownUser(parts) }
        throw .badSignature
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
