package import SwiftletAuth
import SwiftletJSON
import Synchronization

/// The keys of this server's tokens, for all its parts: the key that signs, and the verifier, which knows it too.
///
/// Whoever signs, verifies or publishes asks this, so that a replaced key counts everywhere.
package final class SigningKeys: Sendable {
    /// The verifier of all requests.
    package let verifier: TokenVerifier
    private let state: Mutex<State>

    private struct State: Sendable {
        var issuer: TokenIssuer
        var codeKey: HMACKey
        /// Of the keys that other servers sign with during a rotation, and of the key before, so that mails keep their
        /// codes.
        var otherCodeKeys: [HMACKey] = []
    }

    /// The verifier need not know the key yet. Tokens and codes of the keys `beside` it are taken too.
    package init(_ key: SigningKey, beside others: [SigningKey] = [], verifier: TokenVerifier) throws(KeyError) {
        self.verifier = verifier
        state = Mutex(
            State(issuer: key.issuer, codeKey: try HMACKey(key.secret), otherCodeKeys: try Self.codeKeys(others))
        )
        verifier.replaceOwnKeys(Self.publicKeys(key, others))
    }

    /// Signs with another key from now on. Tokens of the former one are accepted only if it is one of the `others`, or
    /// the verifier has it among the keys beside its own.
    package func replace(_ key: SigningKey, beside others: [SigningKey] = []) throws(KeyError) {
        let codeKey = try HMACKey(key.secret)
        let otherCodeKeys = try Self.codeKeys(others)
        // No token may come back before its key is known.
        verifier.replaceOwnKeys(Self.publicKeys(key, others))
        state.withLock { state in
            state = State(issuer: key.issuer, codeKey: codeKey, otherCodeKeys: otherCodeKeys + [state.codeKey])
        }
    }

    private static func publicKeys(_ key: SigningKey, _ others: [SigningKey]) -> KeySet {
        others.reduce(key.keySet) { $0.adding($1.keySet) }
    }

    private static func codeKeys(_ keys: [SigningKey]) throws(KeyError) -> [HMACKey] {
        var made: [HMACKey] = []
        for key in keys { made.append(try HMACKey(key.secret)) }
        return made
    }

    var issuer: TokenIssuer { state.withLock(\.issuer) }

    /// What the codes in mails are derived with.
    var codeKey: HMACKey { state.withLock(\.codeKey) }

    /// The same, then those of other servers and before the last replacement.
    var codeKeys: [HMACKey] { state.withLock { [$0.codeKey] + $0.otherCodeKeys } }

    /// The content of `/.well-known/jwks.json`: all public keys of our tokens, none for a secret.
    var published: JSONValue { verifier.serverKeys.published }
}
