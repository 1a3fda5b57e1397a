/// Hashes of passwords as databases of sign-in services hold them: bcrypt is read and written, Argon2 is read.
///
/// Both take as long as they are meant to, from milliseconds to seconds: never call ``make(_:cost:)`` or
/// ``isValid(_:for:)`` on an event loop. What a stored hash asks for is bounded, so that a hostile row cannot occupy
/// a core or the memory: a hash beyond the bounds is unsupported and matches nothing.
package enum PasswordHash {
    /// bcrypt reads no further; a new password must not be longer.
    package static let maximumBytes = 72

    /// The bcrypt costs that are made and accepted. Each step doubles the time; 15 is some two seconds.
    package static let costs = 4...15

    /// A new bcrypt hash with a random salt, in the form `$2b$`.
    package static func make(_ password: String, cost: Int) throws(PasswordError) -> String {
        let count = password.utf8.count
        guard count > 0 else { throw .empty }
        guard count <= maximumBytes else { throw .tooLong(bytes: count) }
        guard !password.utf8.contains(0) else { throw .containsNUL }
        return try BcryptHash.make(password, cost: cost).text
    }

    /// A hash that no password is known for, to take the time of one where there is no account: all zeros.
    package static func nobodys(cost: Int) throws(PasswordError) -> String {
        guard costs.contains(cost) else { throw .unsupportedCost(cost) }
        return "$2b$\(cost < 10 ? "0" : "")\(cost)$" + String(repeating: ".", count: 53)
    }

    /// Whether the hash was made from this password; false for a hash that is not supported.
    ///
    /// Passwords of more than 72 bytes match a bcrypt hash by their first 72, as with every other bcrypt: people whose
    /// hash an older server made that way can still sign in.
    package static func isValid(_ password: String, for hash: String) -> Bool {
        let count = password.utf8.count
        guard (1...maximumReadBytes).contains(count), !password.utf8.contains(0) else { return false }
        if let hash = BcryptHash(hash) { return hash.matches(password) }
        if let hash = Argon2Hash(hash) { return hash.matches(password) }
        return false
    }

    /// Whether ``isValid(_:for:)`` computes this hash: a known form, with parameters inside the bounds.
    package static func isSupported(_ hash: String) -> Bool {
        BcryptHash(hash) != nil || Argon2Hash(hash) != nil
    }

    /// libcrypt's own limit for a phrase (`CRYPT_MAX_PASSPHRASE_SIZE`, with the closing NUL).
    private static let maximumReadBytes = 511
}
