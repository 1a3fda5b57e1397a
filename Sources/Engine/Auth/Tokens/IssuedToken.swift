import SwiftletBytes
package import SwiftletJSON

/// A token that was signed with a public key, parsed but not yet verified.
///
/// Not for HS256: whoever can verify such a token can also forge it.
package struct IssuedToken: Sendable {
    /// Not to be trusted before ``check(_:)``.
    package let claims: JSONValue
    package let keyID: String?
    private let algorithm: Algorithm
    private let signed: [UInt8]
    private let signature: [UInt8]

    package init(_ token: borrowing Span<UInt8>) throws(TokenError) {
        guard token.count <= TokenVerifier.maximumTokenBytes else { throw .tooLarge }
        let bytes = token.indices.map { token[$0] }
        try self.init(TokenParts(bytes.span))
    }

    init(_ parts: borrowing TokenParts) throws(TokenError) {
        guard let header = Base64URL.decode(parts.header) else { throw .malformed }
        try self.init(parts, TokenHeader(header.span))
    }

    init(_ parts: borrowing TokenParts, _ header: TokenHeader) throws(TokenError) {
        guard header.algorithm != .hs256 else { throw .unsupportedAlgorithm }
        guard let payload = Base64URL.decode(parts.payload), let signature = Base64URL.decode(parts.signature),
            let claims = try? JSONParser.parse(payload), claims.object != nil
        else { throw .malformed }
        self.claims = claims
        self.signature = signature
        keyID = header.keyID
        algorithm = header.algorithm
        let span = parts.signed
        signed = span.indices.map { span[$0] }
    }

    /// Verifies the signature. Throws `unknownKey` when the header matches no key, `badSignature` when none of those
    /// that match signed the token.
    package func check(_ keys: KeySet) throws(TokenError) {
        let candidates = keys.candidates(for: algorithm, keyID: keyID)
        guard !candidates.isEmpty else { throw .unknownKey }
        for key in candidates where key.isValid(signature.span, for: signed.span) { return }
        throw .badSignature
    }

    /// Checks `exp`, which is required, and `nbf` and `iat` where present, all with this leeway in seconds.
    package func check(timeAt now: Double, leeway: Double) throws(TokenError) {
        guard let expires = claims["exp"]?.double else { throw .invalidClaims }
        guard now < expires + leeway else { throw .expired }
        for name in ["nbf", "iat"] {
            guard let value = claims[name], !value.isNull else { continue }
            guard let time = value.double else { throw .invalidClaims }
            guard now >= time - leeway else { throw .notYetValid }
        }
    }

    package var issuer: String? { claims["iss"]?.string }

    /// The values of `aud` (RFC 7519 §4.1.3).
    package var audiences: [String] {
        claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.array?.compactMap(\.string) ?? []
    }
}
