/// Why a password cannot be hashed; safe to print, as it never holds the password.
package enum PasswordError: Error, Hashable, Sendable {
    case empty
    /// bcrypt would silently ignore the bytes after ``PasswordHash/maximumBytes``.
    case tooLong(bytes: Int)
    /// The C library would stop reading there, and any password with the same beginning would match.
    case containsNUL
    case unsupportedCost(Int)
    /// The library or the random number generator failed.
    case unavailable
}

extension PasswordError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "the password is empty"
        case .tooLong(let bytes):
            "the password has \(bytes) bytes, at most \(PasswordHash.maximumBytes) are possible"
        case .containsNUL: "the password contains a NUL character"
        case .unsupportedCost(let cost):
            "bcrypt cost \(cost) is not in \(PasswordHash.costs.lowerBound)…\(PasswordHash.costs.upperBound)"
        case .unavailable: "the system's password library failed"
        }
    }
}
