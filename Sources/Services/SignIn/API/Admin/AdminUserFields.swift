import SwiftletAuth
import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// What creating and changing an account have in common.
extension AuthAPI {
    /// The hash of the password, or the hash that was sent; nil without either. As in GoTrue, a new account may get a
    /// weak password.
    func givenHash(_ fields: Fields, isNew: Bool = false) async throws -> String? {
        let password = try isNew ? fields.text("password") : fields.newPassword()
        let hash = try fields.text("password_hash")
        switch (password, hash) {
        case (nil, nil): return nil
        case (_?, _?):
            throw SignInError.invalid("Only a password or a password hash should be provided")
        case (let password?, nil):
            try isNew ? PasswordRules.checkHashable(password) : services.passwordRules.check(password)
            return try await services.passwords.hash(password, forAdministrator: true)
        case (nil, let hash?):
            guard PasswordHash.isSupported(hash), hash.utf8.count <= Self.maximumHashBytes else {
                throw SignInError.invalid("This kind of password hash is not supported")
            }
            return hash
        }
    }

    /// The ban in seconds: 0 for none, nil if it was not sent.
    static func ban(_ fields: Fields) throws -> Int? {
        guard let text = try fields.text("ban_duration") else { return nil }
        guard let seconds = BanDuration.seconds(text) else {
            throw SignInError.invalid("invalid format for ban duration: use none, or a duration such as 24h or 1h30m")
        }
        return seconds
    }

    /// GoTrue's column is a varchar(255).
    private static let maximumHashBytes = 255
}

extension SignInError {
    /// 422: another account already has this id, phone number or address, by the unique constraint that is violated.
    init(duplicate error: PostgresError) {
        switch error.constraint {
        case "users_pkey": self = .userExists
        case "users_phone_key": self = .phoneExists
        default: self = .emailExists
        }
    }
}
