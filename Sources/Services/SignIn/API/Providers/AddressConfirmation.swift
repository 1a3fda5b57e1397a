import SwiftletPostgres

/// The address of an account that nobody has proved to own, until the account's identity at a provider proves it.
/// Another server may have made such an account.
struct AddressConfirmation: Sendable {
    private let account: Account
    private let identity: VerifiedIdentity

    /// nil if there is nothing to confirm. Throws ``SignInError`` 422 if the identity does not prove the address, and
    /// nobody has proved anything else of the account.
    init?(of account: Account, by identity: VerifiedIdentity) throws(SignInError) {
        guard !account.email.isEmpty, !account.isEmailConfirmed else { return nil }
        guard identity.isEmailVerified, identity.email == account.email.lowercased() else {
            guard account.isPhoneConfirmed else { throw .notVouchedFor(identity.provider) }
            return nil
        }
        self.account = account
        self.identity = identity
    }

    /// Confirms the address. What else opens the account may be of somebody who has only typed it.
    func statements(_ sessions: SessionStore, _ statements: AccountStatements) -> [SQL] {
        let (tables, id) = (statements.tables, account.id)
        let subject = SQL(text: tables.subjectColumn.description)
        let confirmed = statements.update(of: id) { row in
            row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())")
        }
        guard !account.isPhoneConfirmed else { return [confirmed] }
        return statements.passwordChange(of: id, to: "") + [
            confirmed,
            """
            DELETE FROM auth.identities WHERE user_id = \(id)
                AND NOT (provider = \(identity.provider) AND \(subject) = \(identity.subject))
            """,
            sessions.ending(.global, of: id, session: nil, tables), statements.providerUpdate(of: id),
        ] + tables.forgettingAuthenticators(of: id)
    }
}
