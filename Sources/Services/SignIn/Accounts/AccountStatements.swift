import SwiftletJSON
import SwiftletPostgres

/// The statements that read and change an account in these tables. They are only made here; callers run those that
/// belong together in one transaction.
package struct AccountStatements: Sendable {
    let tables: AccountTables

    // MARK: Reading

    /// Selects ``AccountSQL/columns`` of the account.
    func selection(of id: String) -> SQL {
        "SELECT \(tables.sql.columns) FROM auth.users AS u WHERE u.id = \(id)"
    }

    /// Locks the account's row until the transaction ends. Statements after this one see what others have committed
    /// while it waited.
    static func lock(on id: String) -> SQL { "SELECT 1 FROM auth.users WHERE id = \(id) FOR NO KEY UPDATE" }

    // MARK: New rows

    /// Inserts the account with its identities. Token columns are set to empty strings because GoTrue cannot read NULL
    /// in them; `confirmed_at` is generated.
    func insertion(of new: NewAccount) -> [SQL] {
        var row = RowValues("users", tables.auth)
        row.set("instance_id", "\(AccountSQL.instance)")
        row.set("id", "\(new.id)")
        row.set("aud", "\(new.audience)")
        row.set("role", "\(new.role)")
        row.set("email", "\(new.email)")
        row.set("phone", "\(new.phone)")
        row.set("encrypted_password", "\(new.passwordHash ?? "")")
        if new.isEmailConfirmed { row.set("email_confirmed_at", "now()") }
        if new.isPhoneConfirmed { row.set("phone_confirmed_at", "now()") }
        if let seconds = new.banSeconds, seconds > 0 { row.set("banned_until", Self.banEnd(after: seconds)) }
        row.set("raw_app_meta_data", "\(JSONValue.object(new.appMetadata).description)")
        row.set("raw_user_meta_data", "\(JSONValue.object(new.userMetadata).description)")
        row.set("is_anonymous", "\(new.isAnonymous)")
        row.set("is_sso_user", "false")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        for column in Self.tokenColumns { row.set(column, "''") }
        row.set("email_change_confirm_status", "0")
        return [row.insertion] + new.identities.map { insertion(of: $0, for: new.id) }
            + tables.audit(new.note, of: new.id)
    }

    /// Inserts an identity of the account with this id.
    func insertion(of new: NewIdentity, for id: String) -> SQL {
        var row = RowValues("identities", tables.auth)
        row.set(tables.subjectColumn, "\(new.subject)")
        row.set("user_id", "\(id)")
        row.set("provider", "\(new.provider)")
        row.set("identity_data", "\(JSONValue.object(new.data).description)")
        row.set("last_sign_in_at", "now()")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return row.insertion
    }

    // MARK: Changes

    /// Lists the account's providers anew, after its identities have changed.
    func providerUpdate(of id: String) -> SQL {
        update(of: id) { $0.set("raw_app_meta_data", MetadataSQL.namingProviders(of: id)) }
    }

    /// Sets the columns that `change` adds, and `updated_at`.
    func update(of id: String, _ change: (inout RowValues) -> Void) -> SQL {
        var row = RowValues("users", tables.auth)
        change(&row)
        row.set("updated_at", "now()")
        return row.update(where: "id = \(id)")
    }

    /// Changes the password and revokes all one-time tokens, the codes of followed links and a pending change of
    /// address, because somebody who knew the old password may have requested them.
    func passwordChange(of id: String, to hash: String) -> [SQL] {
        let change = update(of: id) { row in
            row.set("encrypted_password", "\(hash)")
            for column in Self.tokenColumns { row.set(column, "''") }
        }
        var statements = [change]
        if tables.hasTokenTable { statements.append("DELETE FROM auth.one_time_tokens WHERE user_id = \(id)") }
        if tables.hasFlowStates { statements.append(Self.codeRevocation(of: id)) }
        return statements
    }

    /// Revokes the codes of followed links that have not been exchanged yet. Challenges whose links have not been
    /// followed stay, which are of no use without their tokens.
    private static func codeRevocation(of userID: String) -> SQL {
        "DELETE FROM auth.flow_state WHERE user_id = \(userID) AND auth_code_issued_at IS NOT NULL"
    }

    /// Removes the password unless the address or number has been confirmed meanwhile. What was sent stays valid.
    func passwordRemoval(ofUnconfirmed id: String) -> SQL {
        var row = RowValues("users", tables.auth)
        row.set("encrypted_password", "''")
        row.set("updated_at", "now()")
        return row.update(where: "id = \(id) AND email_confirmed_at IS NULL AND phone_confirmed_at IS NULL")
    }

    /// Merges `data`, which the caller has completed and checked, into `user_metadata`; null removes a member.
    func userMetadataMerge(_ data: JSONObject, of id: String) -> SQL {
        update(of: id) { row in
            row.set("raw_user_meta_data", MetadataSQL.merging(data, into: "raw_user_meta_data"))
        }
    }

    /// Stores a new address until it is confirmed.
    func emailRequest(_ email: String, of id: String) -> SQL {
        update(of: id) { row in
            row.set("email_change", "\(email)")
            // A link that was sent to another address must not confirm this one.
            row.set(
                "email_change_token_new",
                "CASE WHEN lower(email_change) = \(email) THEN email_change_token_new ELSE '' END"
            )
            row.set(
                "email_change_token_current",
                "CASE WHEN lower(email_change) = \(email) THEN email_change_token_current ELSE '' END"
            )
        }
    }

    /// Makes what the current address has confirmed or was asked count no more: the new one has just been asked again.
    func emailChangeStart(of id: String) -> SQL {
        update(of: id) { row in
            row.set("email_change_token_current", "''")
            row.set("email_change_confirm_status", "0")
        }
    }

    /// Makes the word of either address count no more, as it may have been given to another link.
    func emailChangeReset(of id: String) -> SQL { update(of: id) { $0.set("email_change_confirm_status", "0") } }

    /// Notes that one of the two addresses has confirmed the change.
    func emailChangeHalf(of id: String) -> SQL { update(of: id) { $0.set("email_change_confirm_status", "1") } }

    /// Sets the address of the account and of its `email` identity.
    func emailChange(of account: Account, to email: String, isConfirmed: Bool = true) -> [SQL] {
        let change = update(of: account.id) { row in
            // If the current address was confirmed again, a pending change stays.
            if email != account.email {
                row.set("email", "\(email)")
                row.set("email_change", "''")
                row.set("email_change_token_new", "''")
                row.set("email_change_token_current", "''")
                row.set("email_change_confirm_status", "0")
                // Tokens that were sent to the old address become invalid.
                row.set("recovery_token", "''")
            }
            if isConfirmed || email != account.email { row.set("confirmation_token", "''") }
            if isConfirmed { row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())") }
            row.set("is_anonymous", "false")
            // What is not there is not needed, but what is there must be true.
            let stored = account.storedUserMetadata
            var data: JSONObject = [:]
            if stored["email"] != nil { data["email"] = .string(email) }
            if isConfirmed || stored["email_verified"] != nil { data["email_verified"] = .bool(isConfirmed) }
            row.set("raw_user_meta_data", MetadataSQL.merging(data, into: "raw_user_meta_data"))
        }
        let identity = emailIdentity(of: account, email, isConfirmed: isConfirmed)
        return [change, identity, providerUpdate(of: account.id)]
    }

    /// Stores a new number until it is confirmed.
    func phoneRequest(_ number: PhoneNumber, of id: String) -> SQL {
        update(of: id) { row in
            row.set("phone_change", "\(number.rawValue)")
            row.set("phone_change_token", "''")
        }
    }

    /// Sets the number of the account and of its `phone` identity.
    func phoneChange(of account: Account, to number: String, isConfirmed: Bool = true) -> [SQL] {
        let change = update(of: account.id) { row in
            // If the current number was confirmed again, a pending change stays.
            if number != account.phone {
                row.set("phone", "\(number)")
                row.set("phone_change", "''")
                row.set("phone_change_token", "''")
                row.set("phone_confirmed_at", isConfirmed ? "now()" : "NULL")
            } else if isConfirmed {
                row.set("phone_confirmed_at", "coalesce(phone_confirmed_at, now())")
            }
            if isConfirmed || number != account.phone { row.set("confirmation_token", "''") }
            row.set("is_anonymous", "false")
            let data: JSONObject = ["phone_verified": .bool(isConfirmed)]
            row.set("raw_user_meta_data", MetadataSQL.merging(data, into: "raw_user_meta_data"))
        }
        var list = [
            change, phoneIdentity(of: account, number, isConfirmed: isConfirmed), providerUpdate(of: account.id),
        ]
        // Anybody can begin an account with a number: it must not keep the number from who has shown that it is theirs.
        if isConfirmed, number != account.phone {
            list.insert(
                """
                UPDATE auth.users SET phone = NULL WHERE phone = \(number) AND id <> \(account.id)
                    AND phone_confirmed_at IS NULL AND email_confirmed_at IS NULL AND last_sign_in_at IS NULL
                """,
                at: 0
            )
        }
        return list
    }

    /// Updates the `phone` identity, or inserts it if the account has none.
    private func phoneIdentity(of account: Account, _ number: String, isConfirmed: Bool) -> SQL {
        guard account.identities.contains(where: { $0["provider"]?.string == "phone" }) else {
            return insertion(of: .phone(number, of: account.id, isVerified: isConfirmed), for: account.id)
        }
        return """
            UPDATE auth.identities SET updated_at = now(),
                identity_data = identity_data
                    || jsonb_build_object('phone', \(number)::text, 'phone_verified', \(isConfirmed)::boolean)
            WHERE user_id = \(account.id) AND provider = 'phone'
            """
    }

    /// Updates the `email` identity, or inserts it if the account has none.
    private func emailIdentity(of account: Account, _ email: String, isConfirmed: Bool) -> SQL {
        guard account.identities.contains(where: { $0["provider"]?.string == "email" }) else {
            return insertion(of: .email(email, of: account.id, isVerified: isConfirmed), for: account.id)
        }
        return """
            UPDATE auth.identities SET updated_at = now(),
                identity_data = identity_data
                    || jsonb_build_object('email', \(email)::text, 'email_verified', \(isConfirmed)::boolean)
            WHERE user_id = \(account.id) AND provider = 'email'
            """
    }

    // MARK: Columns

    /// A value for `banned_until`.
    static func banEnd(after seconds: Int) -> SQL { "now() + \(seconds) * interval '1 second'" }

    /// The columns with tokens that were sent by mail or text, and the address or number that waits for one. GoTrue
    /// cannot read NULL in them.
    package static let tokenColumns: [StaticString] = [
        "confirmation_token", "recovery_token", "email_change_token_new", "email_change",
        "email_change_token_current", "reauthentication_token", "phone_change", "phone_change_token",
    ]
}

extension AccountTables {
    var statements: AccountStatements { AccountStatements(tables: self) }
}
