import HTTP
import JSON
import Postgres
import Web

extension AuthAPI {
    /// `grant_type=id_token`: a session for an ID token of Apple, Google or another configured provider.
    func identityGrant(_ fields: Fields, _ client: ClientInfo, _ request: Request) async throws -> OpenSession {
        guard let token = try fields.text("id_token") else {
            throw SignInError.oauth("invalid request", "id_token required")
        }
        let identity = try await services.identities.verify(
            token,
            provider: try fields.text("provider"),
            issuer: try fields.text("issuer"),
            nonce: try fields.text("nonce"),
            accessToken: try fields.text("access_token")
        )
        if try fields.bool("link_identity") == true {
            return try await link(identity, to: caller(request).account, client)
        }
        if let known = try await accounts.find(provider: identity.provider, subject: identity.subject) {
            return try await signIn(known, identity, client)
        }
        do {
            return try await signUp(identity, client)
        } catch let error as PostgresError where error.isDuplicateAccount {
            // A concurrent sign-in of the same user, or else a concurrent sign-up with the same address.
            if let known = try await accounts.find(provider: identity.provider, subject: identity.subject) {
                return try await signIn(known, identity, client)
            }
            guard error.table == "users", let email = identity.email, try await accounts.find(email: email) != nil
            else { throw error }
            throw SignInError.emailExists
        }
    }

    private func signIn(
        _ account: Account,
        _ identity: VerifiedIdentity,
        _ client: ClientInfo
    ) async throws -> OpenSession {
        try account.admit()
        return try await sessions.open(for: account.id, by: .oauth, client: client) { tables in
            let subject = SQL(text: tables.subjectColumn.description)
            let data = JSONValue.object(identity.identityData).description
            return [
                """
                UPDATE auth.identities
                SET identity_data = identity_data || \(data)::jsonb, last_sign_in_at = now(), updated_at = now()
                WHERE provider = \(identity.provider) AND \(subject) = \(identity.subject)
                """,
                tables.statements.userMetadataMerge(Self.metadata(identity, account), of: account.id),
            ]
        }
    }

    /// The claims that `user_metadata` gets: none if they would make it too large for a token.
    private static func metadata(_ identity: VerifiedIdentity, _ account: Account? = nil) -> JSONObject {
        let stored = account?.storedUserMetadata ?? [:]
        let claims = BothSpellings.completing(identity.identityData, of: stored)
        let merged = try? MetadataLimit.check(claims, into: stored, "user_metadata")
        return merged == nil ? [:] : claims
    }

    /// The first sign-in of an identity: links it to the account with the same verified address, or creates an account.
    private func signUp(_ identity: VerifiedIdentity, _ client: ClientInfo) async throws -> OpenSession {
        if let email = identity.email, let owner = try await accounts.find(email: email) {
            guard identity.isEmailVerified else { throw SignInError.emailExists }
            let isPending = !owner.isEmailConfirmed && !owner.isAnonymous
            return try await link(identity, to: owner, client, takingOver: isPending)
        }
        guard !settings.isSignUpDisabled else { throw SignInError.signUpDisabled }
        guard let email = identity.email else {
            throw SignInError.oauth("invalid request", "Error getting user email from external provider")
        }
        // A user of public.users must sign in with the password first, as the account has to get the same id.
        guard try await accounts.findPerson(email: email) == nil else { throw SignInError.emailExists }
        var new = NewAccount()
        new.email = email
        new.isEmailConfirmed = identity.isEmailVerified || services.confirmsAtOnce
        new.appMetadata = ["provider": .string(identity.provider), "providers": [.string(identity.provider)]]
        new.userMetadata = Self.metadata(identity)
        new.identities = [
            NewIdentity(provider: identity.provider, subject: identity.subject, data: identity.identityData)
        ]
        guard new.isEmailConfirmed else {
            throw SignInError(.badRequest, "email_not_confirmed", "The provider does not vouch for this email address")
        }
        try await services.signUpLimits.admit(address: client.address)
        return try await sessions.open(for: new.id, by: .oauth, client: client) { $0.statements.insertion(of: new) }
    }

    // MARK: Linking

    /// Adds the identity to the account and opens a session. `takingOver` first removes what is left of whoever has
    /// signed up with the address.
    private func link(
        _ identity: VerifiedIdentity,
        to account: Account,
        _ client: ClientInfo,
        takingOver: Bool = false
    ) async throws -> OpenSession {
        try account.admit()
        let email = try await missingEmail(of: account, from: identity)
        let metadata = Self.metadata(identity, takingOver ? nil : account)
        do {
            return try await sessions.open(for: account.id, by: .oauth, client: client) { tables in
                (takingOver ? takeover(of: account, tables.statements) : [])
                    + linkage(of: identity, with: account, email, metadata, tables.statements)
            }
        } catch let error as PostgresError where error.isDuplicateAccount {
            let owner = try await ownerOfDuplicate(identity, email, error)
            guard owner.id == account.id else { throw SignInError.identityExists }
            return try await signIn(owner, identity, client)
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

    /// Removes the password, a pending change of address, all identities and all sessions. The address of the account
    /// was never confirmed, so that somebody else may have signed up with it.
    private func takeover(of account: Account, _ statements: AccountStatements) -> [SQL] {
        statements.passwordChange(of: account.id, to: "") + [
            statements.update(of: account.id) { row in
                row.set("email_confirmed_at", "now()")
                row.set("raw_user_meta_data", "'{}'")
            },
            "DELETE FROM auth.identities WHERE user_id = \(account.id)",
            sessions.ending(.global, of: account.id, session: nil),
        ]
    }

    /// Inserts the identity, and adds its provider, its claims and the address, if there is one, to the account.
    private func linkage(
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
            row.set("raw_app_meta_data", MetadataSQL.addingProvider(identity.provider))
            row.set("is_anonymous", "false")
        }
        return [statements.insertion(of: new, for: account.id), update]
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
    fileprivate static let identityExists = SignInError(
        .unprocessableContent,
        "identity_already_exists",
        "Identity is already linked to another user"
    )
}
