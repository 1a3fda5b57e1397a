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
        var secret: Secret
        var codeKey: HMACKey
        /// Of the key before, so that mails keep their codes.
        var formerCodeKey: HMACKey?
    }

    /// The verifier need not know the key yet.
    package init(_ key: SigningKey, verifier: TokenVerifier) throws(KeyError) {
        self.verifier = verifier
        state = Mutex(State(issuer: key.issuer, secret: key.secret, codeKey: try HMACKey(key.secret)))
        verifier.replaceOwnKeys(key.keySet)
    }

    /// Signs with another key from now on. Tokens of the former one are accepted only if the verifier has it among the
    /// keys beside its own.
    package func replace(_ key: SigningKey) throws(KeyError) {
        let codeKey = try HMACKey(key.secret)
        // No token may come back before its key is known.
        verifier.replaceOwnKeys(key.keySet)
        state.withLock { state in
            state = State(
                issuer: key.issuer,
                secret: key.secret,
                codeKey: codeKey,
                formerCodeKey: state.codeKey
            )
        }
    }

    /// Signs with the key as it is now: ask for it each time.
    package var issuer: TokenIssuer { state.withLock(\.issuer) }

    /// Bytes that only our servers know, which change with the key.
    package var secret: Secret { state.withLock(\.secret) }

    /// What the codes in mails are derived with.
    var codeKey: HMACKey { state.withLock(\.codeKey) }

    /// The same, and before the last replacement.
    var codeKeys: [HMACKey] { state.withLock { [$0.codeKey] + ($0.formerCodeKey.map { [$0] } ?? []) } }

    /// The content of `/.well-known/jwks.json`: all public keys of our tokens, none for a secret.
    var published: JSONValue { verifier.serverKeys.published }
}
