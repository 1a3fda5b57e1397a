import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// The way of a verified identity into its account: an existing one, one with the same address, or a new one.
struct IdentityEntrance<Value: Sendable>: Sendable {
    let api: AuthAPI
    let client: ClientInfo
    /// Applies the statements to the account of this id, and opens a session or makes a code for one, in one
    /// transaction.
    let finish: @Sendable (String, @Sendable (AccountTables) -> [SQL]) async throws -> Value

    private var accounts: AccountStore { api.accounts }

    func enter(_ identity: VerifiedIdentity) async throws -> Value {
        if let known = try await accounts.find(provider: identity.provider, subject: identity.subject) {
            return try await signIn(known, identity)
        }
        do {
            return try await signUp(identity)
        } catch let error as PostgresError where error.isDuplicateAccount {
            // A concurrent sign-in of the same user, or else a concurrent sign-up with the same address.
            if let known = try await accounts.find(provider: identity.provider, subject: identity.subject) {
                return try await signIn(known, identity)
            }
            guard error.table == "users", let email = identity.email, try await accounts.find(email: email) != nil
            else { throw error }
            throw SignInError.emailExists
        }
    }

    private func signIn(_ account: Account, _ identity: VerifiedIdentity) async throws -> Value {
        try account.admit()
        let confirmation = try AddressConfirmation(of: account, by: identity)
        let sessions = api.sessions
        return try await finish(account.id) { tables in
            let subject = SQL(text: tables.subjectColumn.description)
            let data = JSONValue.object(identity.identityData).description
            return [
                """
                UPDATE auth.identities
                SET identity_data = identity_data || \(data)::jsonb, last_sign_in_at = now(), updated_at = now()
                WHERE provider = \(identity.provider) AND \(subject) = \(identity.subject)
                """,
                tables.statements.userMetadataMerge(Self.metadata(identity, account), of: account.id),
            ] + (confirmation?.statements(sessions, tables.statements) ?? [])
        }
    }

    /// The claims that `user_metadata` gets: none if they would make it too large for a token.
    private static func metadata(_ identity: VerifiedIdentity, _ account: Account? = nil) -> JSONObject {
        let stored = account?.storedUserMetadata ?? [:]
        let claims = MetadataAliases.completing(identity.identityData, of: stored)
        let merged = try? MetadataLimit.check(claims, into: stored, "user_metadata")
        return merged == nil ? [:] : claims
    }

    /// The first sign-in of an identity: links it to the account with the same verified address, or creates an account.
    private func signUp(_ identity: VerifiedIdentity) async throws -> Value {
        if identity.isEmailVerified, let email = identity.email {
            if let owner = try await accounts.find(email: email) { return try await join(owner, identity) }
            if let owner = try await accounts.findOwner(of: email, orOneOf: identity.otherVerifiedEmails) {
                return try await join(owner, identity)
            }
        }
        guard identity.email != nil || identity.isEmailOptional else {
            throw SignInError(
                .internalServerError,
                "unexpected_failure",
                "Error getting user email from external provider"
            )
        }
        guard !api.settings.isSignUpDisabled else { throw SignInError.signUpDisabled }
        // The same whether somebody has the address or not, as nobody has proved here to own it.
        guard identity.isEmailVerified || identity.email == nil else {
            throw SignInError.notVouchedFor(identity.provider)
        }
        // A user of public.users must sign in with the password first, as the account has to get the same id.
        if let email = identity.email, try await accounts.findPerson(email: email) != nil {
            throw SignInError.emailExists
        }
        var new = NewAccount()
        new.clientAddress = client.address
        new.email = identity.email
        new.isEmailConfirmed = identity.isEmailVerified
        new.appMetadata = ["provider": .string(identity.provider), "providers": [.string(identity.provider)]]
        new.userMetadata = Self.metadata(identity)
        new.identities = [
            NewIdentity(provider: identity.provider, subject: identity.subject, data: identity.identityData)
        ]
        try await api.services.signUpLimits.admit(address: client.address)
        let made = new
        try await api.services.hooks.admit(made, from: client.address)
        return try await finish(made.id) { $0.statements.insertion(of: made) }
    }

    // MARK: Linking

    /// Links the identity to the account that has one of its verified addresses.
    private func join(_ owner: Account, _ identity: VerifiedIdentity) async throws -> Value {
        let emails = [identity.email].compactMap(\.self) + identity.otherVerifiedEmails
        let isProven = owner.hasProvenEmail(isConfirmedUnasked: api.services.confirmsAtOnce)
        // Another identity's address is proven, but says nothing of the account's own.
        let hasAddress = emails.contains(owner.email.lowercased())
        return try await link(
            identity,
            to: owner,
            takingOver: hasAddress && !isProven && !owner.isAnonymous,
            keepingMetadata: false
        )
    }

    /// Adds the identity to the account. `takingOver` first removes what is left of whoever has
    /// signed up with the address; `keepingMetadata` leaves `user_metadata` alone, as GoTrue does where the user has asked
    /// for the link; `refusingRepetition` throws ``SignInError`` 422 for an identity that the account has.
    func link(
        _ identity: VerifiedIdentity,
        to account: Account,
        takingOver: Bool = false,
        keepingMetadata: Bool = true,
        refusingRepetition: Bool = false
    ) async throws -> Value {
        try account.admit()
        let email = try await missingEmail(of: account, from: identity)
        let metadata = keepingMetadata ? [:] : Self.metadata(identity, takingOver ? nil : account)
        do {
            let notice =
                takingOver
                ? []
                : try api.services.emails?.telling(
                    .identityLinked,
                    identity.provider,
                    to: account.email,
                    of: account.id
                )
            let sessions = api.sessions
            let entry = AuditEntry(
                action: .identityLinked,
                traits: ["provider": .string(identity.provider), "provider_id": .string(identity.subject)],
                address: client.address
            )
            let value = try await finish(account.id) { tables in
                (takingOver ? Self.takeover(of: account, sessions, tables.statements) : [])
                    + Self.linkage(of: identity, with: account, email, metadata, tables.statements) + (notice ?? [])
                    + tables.audit(entry, of: account.id)
            }
            api.services.emails?.announce()
            return value
        } catch let error as PostgresError where error.isDuplicateAccount {
            let owner = try await ownerOfDuplicate(identity, email, error)
            guard owner.id == account.id else { throw SignInError.identityExists }
            if refusingRepetition { throw SignInError.identityLinked }
            return try await signIn(owner, identity)
        }
    }

    /// The provider's address for an account that has none; nil for all others. Throws ``SignInError`` 422 if it
    /// belongs to another user of `public.users`.
    private func missingEmail(of account: Account, from identity: VerifiedIdentity) async throws -> String? {
        guard account.email.isEmpty, identity.isEmailVerified, let email = identity.email else { return nil }
        if let person = try await accounts.findPerson(email: email), person.id != account.id {
            throw SignInError.emailExists
        }
        return email
    }

    /// Removes the password, the number, pending changes, all identities, passkeys, factors and sessions. Nobody has
    /// proved to own the address of the account, so that somebody else may have signed up with it.
    private static func takeover(
        of account: Account,
        _ sessions: SessionStore,
        _ statements: AccountStatements
    ) -> [SQL] {
        statements.passwordChange(of: account.id, to: "") + [
            statements.update(of: account.id) { row in
                row.set("email_confirmed_at", "now()")
                row.set("phone", "NULL")
                row.set("phone_confirmed_at", "NULL")
                row.set("phone_change", "''")
                row.set("raw_user_meta_data", "'{}'")
            },
            "DELETE FROM auth.identities WHERE user_id = \(account.id)",
            sessions.ending(.global, of: account.id, session: nil, statements.tables),
        ] + statements.tables.forgettingAuthenticators(of: account.id)
    }

    /// Inserts the identity, and adds its provider, its claims and the address, if there is one, to the account.
    private static func linkage(
        of identity: VerifiedIdentity,
        with account: Account,
        _ email: String?,
        _ metadata: JSONObject,
        _ statements: AccountStatements
    ) -> [SQL] {
        let new = NewIdentity(provider: identity.provider, subject: identity.subject, data: identity.identityData)
        let update = statements.update(of: account.id) { row in
            if let email {
                row.set("email", "\(email)")
                row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())")
            }
            row.set("raw_user_meta_data", MetadataSQL.merging(metadata, into: "raw_user_meta_data"))
            row.set("is_anonymous", "false")
        }
        return [update, statements.insertion(of: new, for: account.id), statements.providerUpdate(of: account.id)]
    }

    /// The account that has the identity already. Throws ``SignInError`` 422 if it was the address that exists, or else
    /// `duplicate` itself.
    private func ownerOfDuplicate(
        _ identity: VerifiedIdentity,
        _ email: String?,
        _ duplicate: PostgresError
    ) async throws -> Account {
        if let owner = try await accounts.find(provider: identity.provider, subject: identity.subject) { return owner }
        if let email, try await accounts.find(email: email) != nil { throw SignInError.emailExists }
        throw duplicate
    }
}

extension SignInError {
    static func notVouchedFor(_ provider: String) -> SignInError {
        SignInError(
            .unprocessableContent,
            "provider_email_needs_verification",
            "Unverified email with \(provider). Verify the email with \(provider) in order to sign in"
        )
    }

    fileprivate static let identityLinked = SignInError(
        .unprocessableContent,
        "identity_already_exists",
        "Identity is already linked"
    )
    fileprivate static let identityExists = SignInError(
        .unprocessableContent,
        "identity_already_exists",
        "Identity is already linked to another user"
    )
}
