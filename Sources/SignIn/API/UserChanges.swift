import HTTP
import JSON
import Web

/// What a request changes of an account; nil stays as it is.
struct UserChanges: Sendable {
    /// Members of `user_metadata` to be merged.
    let metadata: JSONObject?
    let email: Email?
    let passwordHash: String?

    /// A new address, in lower case.
    enum Email: Sendable {
        case confirmed(String)
        /// Takes effect after the link in a mail is followed, which is bound to the challenge if there is one.
        case unconfirmed(String, CodeChallenge?)
    }

    /// The address that a mail has to confirm.
    var unconfirmedEmail: (address: String, challenge: CodeChallenge?)? {
        guard case .unconfirmed(let address, let challenge) = email else { return nil }
        return (address, challenge)
    }
}

extension AuthAPI {
    /// Reads the changes from a request and checks them. Throws ``SignInError`` for what users may not change.
    func userChanges(_ fields: Fields, of account: Account, _ client: ClientInfo) async throws -> UserChanges {
        guard !fields.has("app_metadata") else {
            throw SignInError.notAdmin("Updating app_metadata requires admin privileges")
        }
        guard try fields.text("phone") == nil else {
            throw SignInError.noPhone("changes")
        }
        let metadata = try fields.object("data")
        if let metadata { try MetadataLimit.completing(metadata, of: account) }
        return UserChanges(
            metadata: metadata,
            email: try await newEmail(fields, account),
            passwordHash: try await newPassword(fields, account, client)
        )
    }

    /// The new address; nil if it stays the same.
    private func newEmail(_ fields: Fields, _ account: Account) async throws -> UserChanges.Email? {
        guard let email = try fields.email(), email != account.email.lowercased() else { return nil }
        if let owner = try await accounts.find(email: email), owner.id != account.id { throw SignInError.emailExists }
        guard try await accounts.findPerson(email: email).map({ $0.id == account.id }) ?? true else {
            throw SignInError.emailExists
        }
        // Clients send a challenge even if no mail is sent.
        if services.confirmsAtOnce { return .confirmed(email) }
        guard services.letters != nil else { throw SignInError.noMailer }
        return .unconfirmed(email, try CodeChallenge(fields))
    }

    /// The hash of the new password; nil if it stays the same.
    private func newPassword(_ fields: Fields, _ account: Account, _ client: ClientInfo) async throws -> String? {
        guard let password = try fields.text("password") else { return nil }
        try services.passwordRules.check(password)
        if let current = try fields.text("current_password"), account.passwordHash?.isEmpty == false {
            try await checkCurrent(current, account, client)
        }
        if account.passwordHash?.isEmpty == false,
            try await services.passwords.matches(password, hash: account.passwordHash)
        {
            throw SignInError(
                .unprocessableContent,
                "same_password",
                "New password should be different from the old password."
            )
        }
        return try await services.passwords.hash(password)
    }

    /// Counts like an attempt to sign in.
    private func checkCurrent(_ password: String, _ account: Account, _ client: ClientInfo) async throws {
        let name = account.email.isEmpty ? account.id : account.email
        try await services.limits.admit(account: name, address: client.address)
        guard try await services.passwords.matches(password, hash: account.passwordHash) else {
            try await services.limits.recordFailure(account: name, address: client.address)
            throw SignInError(.badRequest, "current_password_invalid", "Current password is not valid")
        }
        try await services.limits.recordSuccess(account: name, address: client.address)
    }
}
