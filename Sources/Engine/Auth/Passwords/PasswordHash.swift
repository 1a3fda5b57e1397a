/// Password hashes as sign-in services store them: bcrypt is made and verified, Argon2 is verified.
///
/// Both are slow by design, from milliseconds to seconds: never call ``make(_:cost:)`` or ``isValid(_:for:)`` on an
/// event loop. The cost parameters of a stored hash are limited, so that a hostile row cannot exhaust processor or
/// memory: a hash beyond the limits is unsupported and matches no password.
package enum PasswordHash {
    /// bcrypt reads no more bytes; a new password must not be longer.
    package static let maximumBytes = 72

    /// The accepted bcrypt costs. Each step doubles the time; 15 takes about two seconds.
    package static let costs = 4...15

    /// A new `$2b$` bcrypt hash with a random salt.
    package static func make(_ password: String, cost: Int) throws(PasswordError) -> String {
        let count = password.utf8.count
        guard count > 0 else { throw .empty }
        guard count <= maximumBytes else { throw .tooLong(bytes: count) }
        guard !password.utf8.contains(0) else { throw .containsNUL }
        return try BcryptHash.make(password, cost: cost).text
    }

    /// A hash of no known password. Verified where an account does not exist, it takes the same time as where one does.
    package static func dummy(cost: Int) throws(PasswordError) -> String {
        guard costs.contains(cost) else { throw .unsupportedCost(cost) }
        return "$2b$\(cost < 10 ? "0" : "")\(cost)$" + String(repeating: ".", count: 53)
    }

    /// Whether the hash is one of this password; false for an unsupported hash.
    ///
    /// Of passwords with more than 72 bytes bcrypt compares the first 72, like every other implementation: users whose
    /// hash another server made that way can still sign in.
    package static func isValid(_ password: String, for hash: String) -> Bool {
        let count = password.utf8.count
        guard (1...maximumReadBytes).contains(count), !password.utf8.contains(0) else { return false }
        if let hash = BcryptHash(hash) { return hash.matches(password) }
        if let hash = Argon2Hash(hash) { return hash.matches(password) }
        return false
    }

    /// Whether ``isValid(_:for:)`` can verify this hash: a known format, with parameters inside the limits.
    package static func isSupported(_ hash: String) -> Bool {
        BcryptHash(hash) != nil || Argon2Hash(hash) != nil
    }

    /// libcrypt's limit (`CRYPT_MAX_PASSPHRASE_SIZE`, which includes the final NUL).
    private static let maximumReadBytes = 511
}
