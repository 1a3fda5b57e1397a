internal import HTTP
internal import JSON
internal import Postgres

/// From an address and a password to a session, for both APIs.
///
/// Whatever is wrong takes the time of one hash and reads the same, so that nobody learns which addresses have accounts.
struct PasswordSignIn: Sendable {
    let accounts: AccountStore
    let sessions: SessionStore
    let passwords: Passwords
    let limits: SignInLimits

    func open(email: String, password: String, _ visit: Visit) async throws -> OpenSession {
        // Nobody has such an address, and to look through a body of blanks would hold the loop up.
        guard email.utf8.count <= MailAddress.maximumBytesWithBlanks else { throw SignInError.wrongCredentials }
        let email = email.trimmingBlanks().lowercased()
        try await limits.admit(account: email, address: visit.address)
        let account = try await accounts.find(email: email)
        // Asked for whoever has an account as well: a question less would tell by the time that there is one.
        let someone = try await accounts.findPerson(email: email)
        let person = account == nil ? someone : nil
        guard try await passwords.matches(password, hash: account?.passwordHash ?? person?.passwordHash) else {
            try await limits.recordFailure(account: email, address: visit.address)
            throw SignInError.wrongCredentials
        }
        try await limits.recordSuccess(account: email, address: visit.address)
        if let account {
            try account.admit()
            guard account.isConfirmed else {
                throw SignInError(.badRequest, "email_not_confirmed", "Email not confirmed")
            }
            return try await sessions.open(for: account.id, provenBy: account.passwordHash ?? "", visit)
        }
        guard let person else { throw SignInError.wrongCredentials }
        return try await adopt(person, email, visit)
    }

    /// Makes the account of somebody whom only `public.users` knew, under the same id and with the same hash.
    private func adopt(_ person: AccountStore.Person, _ email: String, _ visit: Visit) async throws -> OpenSession {
        guard person.isActive else { throw SignInError(.badRequest, "user_banned", "User is banned") }
        guard let id = RandomID.normalised(person.id) else {
            throw SignInError(.badRequest, "validation_failed", "The id of this user is no UUID, so it cannot sign in")
        }
        var new = NewAccount()
        new.id = id
        new.email = email
        new.passwordHash = person.passwordHash
        new.isEmailConfirmed = true
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.identities = [.email(email, of: id, isVerified: true)]
        do {
            return try await sessions.open(for: id, "password", visit) { accounts.insertion(new, $0) }
        } catch let error as PostgresError where error.state == .uniqueViolation {
            // Done a moment before, with the same password; or the account has moved on to another address or password,
            // or was deleted: then the old hash opens nothing.
            guard let account = try await accounts.find(email: email), account.id == id,
                account.passwordHash == person.passwordHash
            else { throw SignInError.wrongCredentials }
            try account.admit()
            return try await sessions.open(for: id, provenBy: person.passwordHash, visit)
        }
    }
}

extension SignInError {
    static let wrongCredentials = SignInError(.badRequest, "invalid_credentials", "Invalid login credentials")
}

extension String {
    /// Without white space around it, which keyboards of phones add.
    func trimmingBlanks() -> String {
        // By scalars: to find characters in a megabyte of blanks takes 70 ms.
        var text = unicodeScalars[...]
        while text.first?.properties.isWhitespace == true { text.removeFirst() }
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
