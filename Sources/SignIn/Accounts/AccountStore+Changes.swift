import JSON
import Postgres

/// Statements that change an account. Callers run them in one transaction.
extension AccountStore {
    /// Changes the password and revokes all one-time tokens, the codes of followed links and a pending change of
    /// address, because somebody who knew the old password may have requested them.
    func changePassword(of id: String, to hash: String, _ shape: Shape) -> [SQL] {
        let change = update(id, shape) { row in
            row.set("encrypted_password", "\(hash)")
            for column in Self.mailTokenColumns { row.set(column, "''") }
        }
        var statements = [change]
        if shape.hasTokenTable { statements.append("DELETE FROM auth.one_time_tokens WHERE user_id = \(id)") }
        if shape.hasFlowStates { statements.append(FlowStates.revokingCodes(of: id)) }
        return statements
    }

    /// Removes the password unless the address has been confirmed meanwhile. What was sent by mail stays valid.
    func removePassword(ofUnconfirmed id: String, _ shape: Shape) -> SQL {
        var row = RowValues("users", shape.tables)
        row.set("encrypted_password", "''")
        row.set("updated_at", "now()")
        return row.update(where: "id = \(id) AND email_confirmed_at IS NULL")
    }

    /// The columns with tokens that were sent by mail, and the address that waits for one.
    static let mailTokenColumns: [StaticString] = [
        "confirmation_token", "recovery_token", "email_change_token_new", "email_change",
        "email_change_token_current", "reauthentication_token",
    ]

    /// Merges `data`, which the caller has completed and checked, into `user_metadata`; null removes a member.
    func mergeUserMetadata(_ data: JSONObject, of account: Account, _ shape: Shape) -> SQL {
        update(account.id, shape) { row in
            row.set("raw_user_meta_data", Self.merging(data, into: "raw_user_meta_data"))
        }
    }

    /// `column` with the members of `data`, without those that are null. A single expression, so that concurrent
    /// changes are both applied.
    static func merging(_ data: JSONObject, into column: SQL) -> SQL {
        let removed = data.filter { $0.value.isNull }.map(\.name)
        // A new object, because removing a member takes time linear in its size.
        var kept = JSONObject()
        for (name, value) in data where !value.isNull { kept[name] = value }
        return """
            (coalesce(\(column), '{}') || \(JSONValue.object(kept).description)::jsonb) - \(removed)::text[]
            """
    }

    /// `raw_app_meta_data` with `provider` in its list of providers, and as the first one if there was none. A single
    /// expression, so that two providers which are linked concurrently are both kept.
    static func addingProvider(_ provider: String) -> SQL {
        """
        jsonb_build_object('provider', \(provider)::text) || coalesce(raw_app_meta_data, '{}')
            || jsonb_build_object('providers', CASE
            WHEN jsonb_typeof(raw_app_meta_data -> 'providers') IS DISTINCT FROM 'array'
                THEN jsonb_build_array(\(provider)::text)
            WHEN raw_app_meta_data -> 'providers' ? \(provider) THEN raw_app_meta_data -> 'providers'
            ELSE (raw_app_meta_data -> 'providers') || jsonb_build_array(\(provider)::text)
        END)
        """
    }

    /// Stores a new address until it is confirmed.
    func requestEmail(_ email: String, of account: Account, _ shape: Shape) -> SQL {
        update(account.id, shape) { row in
            row.set("email_change", "\(email)")
            // A link that was sent to another address must not confirm this one.
            row.set(
                "email_change_token_new",
                "CASE WHEN lower(email_change) = \(email) THEN email_change_token_new ELSE '' END"
            )
        }
    }

    /// Sets the address of the account and of its `email` identity.
    func setEmail(_ email: String, of account: Account, isConfirmed: Bool = true, _ shape: Shape) -> [SQL] {
        var statements: [SQL] = [
            update(account.id, shape) { row in
                // If the current address was confirmed again, a pending change stays.
                if email != account.email {
                    row.set("email", "\(email)")
                    row.set("email_change", "''")
                    // Tokens that were sent to the old address become invalid.
                    row.set("recovery_token", "''")
                }
                if isConfirmed || email != account.email { row.set("confirmation_token", "''") }
                if isConfirmed { row.set("email_confirmed_at", "coalesce(email_confirmed_at, now())") }
                row.set("is_anonymous", "false")
                let data: JSONObject = ["email": .string(email), "email_verified": .bool(isConfirmed)]
                row.set("raw_user_meta_data", Self.merging(data, into: "raw_user_meta_data"))
                if account.isAnonymous {
                    row.set(
                        "raw_app_meta_data",
                        Self.merging(["provider": "email", "providers": ["email"]], into: "raw_app_meta_data")
                    )
                }
            }
        ]
        if account.identities.contains(where: { $0["provider"]?.string == "email" }) {
            statements.append(
                """
                UPDATE auth.identities SET updated_at = now(),
                    identity_data = identity_data
                        || jsonb_build_object('email', \(email)::text, 'email_verified', \(isConfirmed)::boolean)
                WHERE user_id = \(account.id) AND provider = 'email'
                """
            )
        } else {
            statements.append(insertion(.email(email, of: account.id, isVerified: isConfirmed), of: account.id, shape))
        }
        return statements
    }
}
