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
        /// Of the key, then of those that other servers sign with during a rotation.
        var secrets: [Secret]
        /// The same.
        var codeKeys: [HMACKey]
        /// Of the key before, so that mails keep their codes.
        var formerCodeKey: HMACKey?

        init(_ key: SigningKey, beside others: [SigningKey]) throws(KeyError) {
            issuer = key.issuer
            secrets = [key.secret] + others.map(\.secret)
            codeKeys = []
            for secret in secrets { codeKeys.append(try HMACKey(secret)) }
        }
    }

    /// The verifier need not know the key yet. Tokens and codes of the keys `beside` it are taken too.
    package init(_ key: SigningKey, beside others: [SigningKey] = [], verifier: TokenVerifier) throws(KeyError) {
        self.verifier = verifier
        state = Mutex(try State(key, beside: others))
        verifier.replaceOwnKeys(Self.publicKeys(key, others))
    }

    /// Signs with another key from now on. Tokens of the former one are accepted only if it is one of the `others`, or
    /// the verifier has it among the keys beside its own.
    package func replace(_ key: SigningKey, beside others: [SigningKey] = []) throws(KeyError) {
        var next = try State(key, beside: others)
        // No token may come back before its key is known.
        verifier.replaceOwnKeys(Self.publicKeys(key, others))
        state.withLock { state in
            // Reading the same key again replaces none.
            let isSame = next.secrets.first == state.secrets.first
            next.formerCodeKey = isSame ? state.formerCodeKey : state.codeKeys.first
            state = next
        }
    }

    private static func publicKeys(_ key: SigningKey, _ others: [SigningKey]) -> KeySet {
        others.reduce(key.keySet) { $0.adding($1.keySet) }
    }

    /// Signs with the key as it is now: ask for it each time.
    package var issuer: TokenIssuer { state.withLock(\.issuer) }

    /// Bytes that only our servers know, which change with the key, and those of the keys beside it.
    package var secrets: [Secret] { state.withLock(\.secrets) }

    /// What the codes in mails are derived with.
    var codeKey: HMACKey { state.withLock { $0.codeKeys[0] } }

    /// The same, then those of other servers and before the last replacement.
    var codeKeys: [HMACKey] { state.withLock { $0.codeKeys + ($0.formerCodeKey.map { [$0] } ?? []) } }

    /// The content of `/.well-known/jwks.json`: all public keys of our tokens, none for a secret.
    var published: JSONValue { verifier.serverKeys.published }
}
