import SwiftletAuth
import SwiftletHTTP

/// Computes password hashes outside the event loops, a limited number at a time.
///
/// A hash takes a core for tens of milliseconds, so more than one per core would only slow down all of them, and an
/// unbounded queue would let clients wait until they time out: beyond `depth`, the response is 503 immediately. A
/// failed comparison takes the same time whether or not there is a hash, so that it does not reveal whether an account
/// exists.
struct Passwords: Sendable {
    private let cost: Int
    private let threads: HashingThreads
    private let dummy: String

    /// `cost` is bcrypt's cost factor, one of ``PasswordHash/costs``. Up to `width` hashes are computed at once
    /// and `depth` are queued.
    init(cost: Int, width: Int, depth: Int) throws(PasswordError) {
        self.cost = cost
        threads = HashingThreads(width: max(1, width), depth: max(0, depth))
        dummy = try PasswordHash.dummy(cost: cost)
    }

    /// How many hashes have been computed, those of nobody's password too.
    var hashCount: Int { threads.begunCount }

    /// Whether `hash` is of this password.
    ///
    /// If it is nil, empty (accounts without a password) or not supported, a dummy hash is computed and the result is
    /// false. Throws ``SignInError`` 503 if too many are queued; `forStranger` as for ``hash(_:forAdministrator:)``.
    func matches(_ password: String, hash: String?, forStranger: Bool = false) async throws -> Bool {
        let supported = hash.flatMap { PasswordHash.isSupported($0) ? $0 : nil }
        let compared = supported ?? dummy
        let isEqual = try await run(forStranger: forStranger) { PasswordHash.isValid(password, for: compared) }
        return isEqual && supported != nil
    }

    /// A new bcrypt hash. Throws ``PasswordError`` for a password that cannot be hashed, ``SignInError`` 503 if too
    /// many are queued.
    ///
    /// Unless it is `forAdministrator`, only half of the places are available: anybody can sign up, and that must not
    /// keep users with an account from signing in.
    func hash(_ password: String, forAdministrator: Bool = false) async throws -> String {
        let cost = cost
        return try await run(forStranger: !forAdministrator) { try PasswordHash.make(password, cost: cost) }
    }

    private func run<Value: Sendable>(
        forStranger: Bool,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard let value = try await threads.run(forStranger: forStranger, work) else {
            throw SignInError.unavailable("Too many people are signing in; try again", retryAfterSeconds: 2)
        }
        return value
    }
}
