import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// Signs in with an e-mail address or a phone number and a password, for both APIs.
///
/// Every failure gives the same error, and takes the time of one hash unless what was sent is too long for anybody's,
/// so that nobody learns which addresses or numbers have accounts.
struct PasswordSignIn: Sendable {
    let accounts: AccountStore
    let sessions: SessionStore
    let passwords: Passwords
    let limits: SignInLimits
    let hooks: Hooks
    let ended: EndedSessions

    func open(email: String, password: String, _ client: ClientInfo) async throws -> OpenSession {
        guard let email = MailAddress.normalized(email) else { throw SignInError.wrongCredentials }
        try await limits.admit(account: email, address: client.address)
        let account = try await accounts.find(email: email)
        // Always queried for an address, so that the response time does not reveal whether there is an account.
        let someone = try await accounts.findPerson(email: email)
        let person = account == nil ? someone : nil
        try await check(password, account, person?.passwordHash, named: email, client)
        if let account {
            try account.admit()
            guard account.isEmailConfirmed else {
                throw SignInError(.badRequest, "email_not_confirmed", "Email not confirmed")
            }
            return try await open(account, client)
        }
        guard let person else { throw SignInError.wrongCredentials }
        return try await adopt(person, email, client)
    }

    func open(phone number: PhoneNumber, password: String, _ client: ClientInfo) async throws -> OpenSession {
        try await limits.admit(account: number.rawValue, address: client.address)
        let account = try await accounts.find(phone: number)
        try await check(password, account, nil, named: number.rawValue, client)
        guard let account else { throw SignInError.wrongCredentials }
        try account.admit()
        guard account.isPhoneConfirmed else {
            throw SignInError(.badRequest, "phone_not_confirmed", "Phone not confirmed")
        }
        return try await open(account, client)
    }

    /// Throws ``SignInError`` unless it is the password of the account, or that of the other hash where there is none.
    private func check(
        _ password: String,
        _ account: Account?,
        _ otherHash: String?,
        named name: String,
        _ client: ClientInfo
    ) async throws {
        let isValid = try await passwords.matches(password, hash: account?.passwordHash ?? otherHash)
        if let account, hooks.has(.passwordVerificationAttempt) {
            try await ask(account, named: name, isValid: isValid, client)
        }
        guard isValid else {
            try await limits.recordFailure(account: name, address: client.address)
            throw SignInError.wrongCredentials
        }
        try await limits.recordSuccess(account: name, address: client.address)
    }

    private func open(_ account: Account, _ client: ClientInfo) async throws -> OpenSession {
        let hash = account.passwordHash ?? ""
        return try await sessions.open(for: account.id, by: .password, client: client, ifPasswordHashIs: hash)
    }

    /// Lets the operator's hook refuse the attempt. Throws ``SignInError`` 400 with its message.
    private func ask(_ account: Account, named name: String, isValid: Bool, _ client: ClientInfo) async throws {
        let decision = try await hooks.passwordAttempt(of: account.id, isValid: isValid, from: client.address)
        guard decision.isRejected else { return }
        if decision.endsSessions {
            try await sessions.end(.global, of: account.id, session: nil)
            await ended.refresh()
        }
        if !isValid { try await limits.recordFailure(account: name, address: client.address) }
        throw SignInError(.badRequest, "invalid_credentials", decision.message)
    }

    /// Creates the account of a user who only exists in `public.users`, with the same id and password hash.
    private func adopt(_ person: AccountStore.Person, _ email: String, _ client: ClientInfo) async throws -> OpenSession
    {
        guard person.isActive else { throw SignInError.banned }
        guard let id = RandomID.normalized(person.id) else {
            throw SignInError.invalid("This user cannot sign in, as the id is not a UUID")
        }
        var new = NewAccount()
        new.id = id
        new.clientAddress = client.address
        new.email = email
        new.passwordHash = person.passwordHash
        new.isEmailConfirmed = true
        new.appMetadata = ["provider": "email", "providers": ["email"]]
        new.identities = [.email(email, of: id, isVerified: true)]
        do {
            return try await sessions.open(for: id, by: .password, client: client) { $0.statements.insertion(of: new) }
        } catch let error as PostgresError where error.isDuplicateAccount {
            // Either a concurrent sign-in has just created the account, or the account has got another address or
            // password since, in which case the old hash is no longer valid.
            guard let account = try await accounts.find(email: email), account.id == id,
                account.passwordHash == person.passwordHash
            else { throw SignInError.wrongCredentials }
            try account.admit()
            return try await sessions.open(
                for: id,
                by: .password,
                client: client,
                ifPasswordHashIs: person.passwordHash
            )
        }
    }
}

extension String {
    /// Without leading and trailing white space, which phone keyboards add; nil for a text too long for any address or
    /// code, because trimming a megabyte of white space would block the event loop.
    func trimmingBlanks() -> String? {
        guard utf8.count <= 1024 else { return nil }
        var text = unicodeScalars[...]
        while text.first?.properties.isWhitespace == true { text.removeFirst() }
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
