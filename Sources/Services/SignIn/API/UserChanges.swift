import SwiftletHTTP
import SwiftletJSON
import SwiftletWeb

/// What a request changes of an account; nil stays as it is.
struct UserChanges: Sendable {
    /// Members of `user_metadata` to be merged.
    let metadata: JSONObject?
    let email: Email?
    /// A new number, which takes effect when the code of a text to it is shown.
    var phone: PhoneNumber?
    /// How the code is sent to it.
    var channel = TextChannel.sms
    let passwordHash: String?
    /// The code that the change of the password needs; nil if it needs none.
    let reauthentication: OneTimeTokens.Presented?

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
    func userChanges(_ fields: Fields, of caller: Caller, _ client: ClientInfo) async throws -> UserChanges {
        let account = caller.account
        guard !fields.has("app_metadata") else {
            throw SignInError.notAdmin("Updating app_metadata requires admin privileges")
        }
        let phone = try newPhone(fields, account)
        try requireFactor(fields, caller, newPhone: phone)
        let metadata = try fields.object("data")
        if let metadata { try MetadataLimit.completing(metadata, of: account) }
        let email = try await newEmail(fields, account)
        let code = try await reauthentication(fields, caller, client)
        return UserChanges(
            metadata: metadata,
            email: email,
            phone: phone,
            channel: phone == nil ? .sms : try channel(fields),
            passwordHash: try await newPassword(fields, caller, client),
            reauthentication: code
        )
    }

    /// What opens an account changes only in a session of its second factor, if it has one.
    private func requireFactor(_ fields: Fields, _ caller: Caller, newPhone: PhoneNumber?) throws {
        let hasNewEmail = try fields.email().map { $0 != caller.account.email.lowercased() } ?? false
        let hasNewName = hasNewEmail || newPhone != nil
        guard try caller.hasUsedFactors || (fields.newPassword() == nil && !hasNewName) else {
            throw SignInError(
                .unauthorized,
                "insufficient_aal",
                "AAL2 session is required to update email or password when MFA is enabled."
            )
        }
    }

    /// The new number; nil if it stays the same. Whether somebody has it already is told to who reads its texts.
    private func newPhone(_ fields: Fields, _ account: Account) throws -> PhoneNumber? {
        guard try fields.text("phone") != nil else { return nil }
        _ = try texts(for: "changes")
        return try fields.phone().flatMap { $0.rawValue == account.phone ? nil : $0 }
    }

    /// The new address; nil if it stays the same.
    private func newEmail(_ fields: Fields, _ account: Account) async throws -> UserChanges.Email? {
        guard let email = try fields.email(), email != account.email.lowercased() else { return nil }
        // Clients send a challenge even if no mail is sent. An address that somebody may sign in with is not changed
        // without its owner's word, even where new ones need no confirmation.
        if services.confirmsAtOnce, services.emails == nil || account.isAnonymous {
            if let owner = try await accounts.find(email: email), owner.id != account.id {
                throw SignInError.emailExists
            }
            guard try await accounts.findPerson(email: email).map({ $0.id == account.id }) ?? true else {
                throw SignInError.emailExists
            }
            return .confirmed(email)
        }
        guard services.emails != nil else { throw SignInError.noMailer }
        // Whether somebody has the address already is told to who reads its mail, when the change is confirmed.
        return .unconfirmed(email, try CodeChallenge(fields))
    }

    /// The hash of the new password; nil if it stays the same.
    private func newPassword(_ fields: Fields, _ caller: Caller, _ client: ClientInfo) async throws -> String? {
        let account = caller.account
        guard let password = try fields.newPassword() else { return nil }
        try services.passwordRules.check(password)
        if let current = try fields.text("current_password"), account.passwordHash?.isEmpty == false {
            try await checkCurrent(current, account, client)
        } else if settings.requiresCurrentPassword, account.passwordHash?.isEmpty == false, !caller.hasProvedMailbox {
            throw SignInError(
                .badRequest,
                "current_password_required",
                "Current password required when setting new password."
            )
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
    func checkCurrent(_ password: String, _ account: Account, _ client: ClientInfo) async throws {
        let name = [account.email, account.phone, account.id].first { !$0.isEmpty } ?? account.id
        try await services.limits.admit(account: name, address: client.address)
        guard try await services.passwords.matches(password, hash: account.passwordHash) else {
            try await services.limits.recordFailure(account: name, address: client.address)
            throw SignInError(.badRequest, "current_password_invalid", "Current password is not valid")
        }
        try await services.limits.recordSuccess(account: name, address: client.address)
    }
}
