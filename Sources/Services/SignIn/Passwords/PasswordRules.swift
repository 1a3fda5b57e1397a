import SwiftletAuth
import SwiftletHTTP

/// Checks new passwords.
struct PasswordRules: Sendable {
    let minimumBytes: Int
    /// Sets of characters, of each of which a password has one at least.
    var requiredCharacters: [String] = []

    /// Throws ``SignInError`` 422 `weak_password`, or 400 for a password that cannot be hashed.
    func check(_ password: String) throws(SignInError) {
        try Self.checkHashable(password)
        let count = password.utf8.count
        var reasons: [String] = []
        var messages: [String] = []
        if count < minimumBytes {
            reasons.append("length")
            messages.append("Password should be at least \(minimumBytes) characters.")
        }
        if requiredCharacters.contains(where: { !password.unicodeScalars.contains(where: $0.unicodeScalars.contains) })
        {
            let sets = requiredCharacters.joined(separator: ", ")
            reasons.append("characters")
            messages.append("Password should contain at least one character of each: \(sets).")
        }
        guard reasons.isEmpty else {
            var error = SignInError(.unprocessableContent, "weak_password", messages.joined(separator: " "))
            error.reasons = reasons
            throw error
        }
    }

    /// Throws ``SignInError`` 400 for a password that cannot be hashed.
    static func checkHashable(_ password: String) throws(SignInError) {
        guard password.utf8.count <= PasswordHash.maximumBytes else {
            throw SignInError.invalid("Password cannot be longer than \(PasswordHash.maximumBytes) characters")
        }
        guard !password.utf8.contains(0) else {
            throw SignInError.invalid("Password cannot hold a NUL character")
        }
    }
}
