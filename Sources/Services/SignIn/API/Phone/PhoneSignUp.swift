import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

extension AuthAPI {
    /// `POST /signup` with `phone`: an account with a password, which opens nothing until the number is confirmed by
    /// the code of a text, unless the operator wants none.
    func phoneSignUp(_ fields: Fields, _ request: Request) async throws -> Response {
        guard services.hasPhones else { throw SignInError.noPhone("signups") }
        guard try fields.text("email") == nil else {
            throw SignInError.invalid("Only an email address or phone number should be provided on signup.")
        }
        guard try fields.text("code_challenge") == nil else {
            throw SignInError.invalid("PKCE not supported for phone signups")
        }
        let data = try MetadataLimit.check(fields.object("data") ?? [:], "data")
        guard let password = try fields.text("password") else {
            throw SignInError.invalid("Signup requires a valid password")
        }
        try services.passwordRules.check(password)
        let channel = try channel(fields)
        guard let number = try fields.phone() else { throw SignInError.invalid("To signup, please provide your phone") }
        let client = services.client(request)
        try await services.signUpLimits.admit(address: client.address)
        var new = Self.newAccount(number, data)
        new.clientAddress = client.address
        if settings.confirmsPhonesAtOnce { return try await openAtOnce(new, password, request) }
        let texts = try self.texts(for: "signups")
        return try await texts.pace.keep {
            // One hash is made or compared in either case, so that the time does not reveal whether the number is known.
            if let known = try await accounts.find(phone: number) {
                let isPending = try await keepPassword(password, ofPending: known)
                try await texts.limits.admit(number, client)
                return try await repeatSignUp(known, isPending: isPending, as: new, number, channel, texts)
            }
            new.passwordHash = try await services.passwords.hash(password)
            try await texts.limits.admit(number, client)
            try await services.hooks.admit(new, from: client.address)
            do {
                let account = new
                let note = AuditEntry.confirmationRequest(by: "phone", from: client.address)
                try await texts.send(.text, to: number, of: new.id, by: channel) {
                    $0.statements.insertion(of: account) + $0.audit(note, of: account.id)
                }
            } catch let error as PostgresError where error.isDuplicateAccount {
                // A concurrent request, which sends the text.
                return try await unconfirmed(new, role: "authenticated")
            }
            return Response.user(try await accounts.existing(id: new.id))
        }
    }

    /// The same where nobody asks whose number it is: a session at once. Its number counts as confirmed, but is not
    /// verified, see ``Account/hasUnprovenPhone``.
    private func openAtOnce(_ new: NewAccount, _ password: String, _ request: Request) async throws -> Response {
        let client = services.client(request)
        var new = new
        new.isPhoneConfirmed = true
        new.passwordHash = try await services.passwords.hash(password)
        let account = new
        try await services.hooks.admit(account, from: client.address)
        do {
            let session = try await sessions.open(for: account.id, by: .password, client: client) {
                $0.statements.insertion(of: account)
            }
            return try await services.answer(session, to: request)
        } catch let error as PostgresError where error.isDuplicateAccount {
            throw SignInError.userExists
        }
    }

    /// Whether the account's number is still to be confirmed. If so, and if the password is another one, only one of
    /// the two can be of the number's owner, who will type any code: then nobody's is kept, whether a text may be sent
    /// now or not.
    private func keepPassword(_ password: String, ofPending known: Account) async throws -> Bool {
        let isPending = !known.isConfirmed && known.isActive
        let hash = isPending ? known.passwordHash : nil
        let isSame = try await services.passwords.matches(password, hash: hash, forStranger: true)
        if !isSame, hash?.isEmpty == false { try await accounts.removePassword(ofUnconfirmed: known.id) }
        return isPending
    }

    /// Sends another text to an unconfirmed number; a confirmed one is not revealed, nor one that is shut out.
    private func repeatSignUp(
        _ known: Account,
        isPending: Bool,
        as new: NewAccount,
        _ number: PhoneNumber,
        _ channel: TextChannel,
        _ texts: Texts
    ) async throws -> Response {
        var shown = new
        guard isPending else {
            try await noteRepeatedSignUp(of: known, by: "phone", from: new.clientAddress)
            shown.identities = []
            return try await unconfirmed(shown, role: "")
        }
        let note = AuditEntry.confirmationRequest(by: "phone", from: new.clientAddress)
        try await texts.send(.text, to: number, of: known.id, by: channel) { $0.audit(note, of: known.id) }
        shown.id = known.id
        shown.userMetadata["sub"] = .string(known.id)
        shown.identities = [.phone(number.rawValue, of: known.id, isVerified: false)]
        return try await unconfirmed(shown, role: "authenticated")
    }
}

extension AccountStore {
    /// See ``AccountStatements/passwordRemoval(ofUnconfirmed:)``.
    func removePassword(ofUnconfirmed id: String) async throws {
        try await run { [$0.statements.passwordRemoval(ofUnconfirmed: id)] }
    }
}
