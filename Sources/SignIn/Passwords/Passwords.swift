package import Auth
internal import HTTP

/// Computes password hashes off the event loops, a bounded number at once.
///
/// A hash takes tens of milliseconds of a core. More than one per core at once would only make all of them slower, and
/// a queue without end would let a crowd of sign-ins wait longer than their clients do: beyond `depth` the answer is
/// 503 at once. All ways to fail take the time of one hash, so that timing does not tell whether an account exists.
package struct Passwords: Sendable {
    private let cost: Int
    private let threads: HashingThreads
    private let dummy: String

    /// `cost` is bcrypt's, ``PasswordHash/costs``; `width` hashes are computed at once, `depth` wait.
    package init(cost: Int, width: Int, depth: Int) throws(PasswordError) {
        self.cost = cost
        threads = HashingThreads(width: max(1, width), depth: max(0, depth))
        dummy = try PasswordHash.dummy(cost: cost)
    }

    /// Whether the hash was made from this password.
    ///
    /// Without a hash, with an empty one (accounts of other providers have none) or with one that is not supported, a
    /// dummy is computed, then the answer is false. Throws ``SignInError`` 503 when too many wait.
    package func matches(_ password: String, hash: String?) async throws -> Bool {
        let supported = hash.flatMap { PasswordHash.isSupported($0) ? $0 : nil }
        let compared = supported ?? dummy
        let isEqual = try await run(forStranger: false) { PasswordHash.isValid(password, for: compared) }
        return isEqual && supported != nil
    }

    /// A new bcrypt hash. Throws ``PasswordError`` for a password that cannot be hashed, ``SignInError`` 503 when too
    /// many wait.
    ///
    /// New passwords of people get half of the places only: anybody may sign up as often as they like, and who has an
    /// account shall get in all the same.
    package func hash(_ password: String, forAdministrator: Bool = false) async throws -> String {
        let cost = cost
        return try await run(forStranger: !forAdministrator) { try PasswordHash.make(password, cost: cost) }
    }

    private func run<Value: Sendable>(
        forStranger: Bool,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let value = try await threads.run(forStranger: forStranger, work) else {
            throw SignInError(
                .serviceUnavailable,
                "unexpected_failure",
                "Too many people are signing in; try again",
                retryAfterSeconds: 2
            )
        }
        return value
    }
}
