import SwiftletBytes

@testable import SwiftletAuth

// The macros of Testing cannot capture a `Span`, so tests pass arrays.

extension Secret {
    init(bytes: [UInt8]) { self.init(bytes.span) }
    func isEqual(toText text: String) -> Bool { isEqual(to: Array(text.utf8).span) }
}

extension HMACKey {
    /// The code in hexadecimal digits.
    func hexCode(for message: [UInt8]) -> String? {
        (try? authenticate(message)).map(Hexadecimal.encode)
    }
}

extension TokenVerifier {
    func verify(token: String) throws(TokenError) -> User {
        try verify(bearer: Array(token.utf8).span)
    }

    /// Verifies with the given keys at the given time.
    static func make(
        secret: Secret? = nil,
        keys: String...,
        now: Double = 1000
    ) throws -> TokenVerifier {
        let keys = try KeySet(jwks: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
        return try TokenVerifier(secret: secret, keys: keys, clock: { now })
    }
}

extension TokenVerifier {
    func verify(authorization: String) throws(TokenError) -> User {
        try verify(authorization: Array(authorization.utf8).span)
    }
}

extension HMACKey {
    func code(forText text: String) -> [UInt8]? {
        guard let code = code(for: Array(text.utf8).span) else { return nil }
        return code.indices.map { code[$0] }
    }
}

extension PublicKey {
    func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(signature.span, for: message.span)
    }
}

extension ECDSASignature {
    static func der(rawBytes: [UInt8]) -> [UInt8]? { der(raw: rawBytes.span) }
}
