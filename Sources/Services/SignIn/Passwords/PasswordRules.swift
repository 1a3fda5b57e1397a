import SwiftletAuth
import SwiftletHTTP

/// Checks new passwords.
struct PasswordRules: Sendable {
    let minimumBytes: Int

    /// Throws ``SignInError`` 422 `weak_password`, or 400 for a password that cannot be hashed.
    func check(_ password: String) throws(SignInError) {
        let count = password.utf8.count
        guard count <= PasswordHash.maximumBytes else {
            throw SignInError.invalid("Password cannot be longer than \(PasswordHash.maximumBytes) characters")
        }
        guard !password.utf8.contains(0) else {
            throw SignInError.invalid("Password cannot hold a NUL character")
        }
        guard count >= minimumBytes else {
            throw SignInError(
                .unprocessableContent,
                "weak_password",
                "Password should be at least \(minimumBytes) characters."
            )
        }
    }
}
