import SwiftletBytes
import SwiftletJSON
import SwiftletPostgres

/// The statements that read and write passkeys and their challenges.
struct PasskeyStatements: Sendable {
    let tables: AccountTables

    // MARK: Challenges

    /// Inserts a challenge, and deletes some that have expired. `session` is what alone may answer it.
    func insertion(of challenge: PasskeyChallenge, for userID: String?, lifetimeSeconds: Int) -> [SQL] {
        [
            """
            DELETE FROM auth.webauthn_challenges WHERE id IN (
                SELECT id FROM auth.webauthn_challenges WHERE expires_at < now() - interval '1 hour'
                ORDER BY expires_at LIMIT 100 FOR UPDATE SKIP LOCKED
            )
            """,
            """
            INSERT INTO auth.webauthn_challenges (id, user_id, challenge_type, session_data, expires_at)
            VALUES (
                \(challenge.id), \(userID)::uuid, \(challenge.kind.rawValue), \(challenge.data.description)::jsonb,
                now() + \(lifetimeSeconds)::int * interval '1 second'
            )
            """,
        ]
    }

    /// Takes a challenge out: it counts once, whatever the answer to it is. Those of others stay.
    static func use(
        ofChallenge id: String,
        _ kind: PasskeyChallenge.Kind,
        userID: String? = nil,
        sessionID: String? = nil
    ) -> SQL {
        """
        DELETE FROM auth.webauthn_challenges WHERE id = \(id) AND challenge_type = \(kind.rawValue)
            AND user_id IS NOT DISTINCT FROM \(userID)::uuid
            AND session_data ->> 'session_id' IS NOT DISTINCT FROM \(sessionID)::text
        RETURNING session_data::text AS data, expires_at <= now() AS has_expired
        """
    }

    // MARK: Passkeys

    func selection(of userID: String) -> SQL {
        """
        SELECT \(Passkey.columns) FROM auth.webauthn_credentials AS k WHERE k.user_id = \(userID)
        ORDER BY k.created_at, k.id
        """
    }

    /// Selects the passkey with its account.
    func selection(ofCredential id: [UInt8]) -> SQL {
        """
        SELECT \(Passkey.columns), a.*
        FROM auth.webauthn_credentials AS k
            CROSS JOIN LATERAL (SELECT \(tables.sql.columns) FROM auth.users AS u WHERE u.id = k.user_id) AS a
        WHERE k.credential_id = decode(\(Hexadecimal.encode(id)), 'hex')
        """
    }

    func insertion(
        of new: RelyingParty.NewCredential,
        _ id: String,
        named name: String,
        for userID: String,
        from address: String
    ) -> [SQL] {
        var row = RowValues("webauthn_credentials", tables.auth)
        row.set("id", "\(id)")
        row.set("user_id", "\(userID)")
        row.set("credential_id", "decode(\(Hexadecimal.encode(new.id)), 'hex')")
        row.set("public_key", "decode(\(Hexadecimal.encode(new.key.encoded)), 'hex')")
        row.set("attestation_type", "\(new.format.rawValue)")
        row.set("aaguid", "\(UUIDText.text(new.model))")
        row.set("sign_count", "\(new.counter)")
        row.set("transports", "\(JSONValue.array(new.transports.map(JSONValue.string)).description)::jsonb")
        row.set("backup_eligible", "\(new.isBackupEligible)")
        row.set("backed_up", "\(new.isBackedUp)")
        row.set("friendly_name", "\(name)")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return [row.insertion] + note(.passkeyCreated, id, of: userID, from: address)
    }

    /// Notes a use, and returns a row unless the counter has been used up meanwhile.
    func use(of passkey: Passkey, counter: Int, isBackedUp: Bool) -> SQL {
        """
        UPDATE auth.webauthn_credentials
        SET sign_count = \(counter), backed_up = \(isBackedUp), last_used_at = now(), updated_at = now()
        WHERE id = \(passkey.id) AND (sign_count < \(counter) OR (sign_count = 0 AND \(counter)::bigint = 0))
        RETURNING 1
        """
    }

    func renaming(_ id: String, to name: String, of userID: String, from address: String) -> [SQL] {
        [
            """
            UPDATE auth.webauthn_credentials SET friendly_name = \(name), updated_at = now()
            WHERE id = \(id) AND user_id = \(userID)
            """
        ] + note(.passkeyUpdated, id, of: userID, from: address)
    }

    func deletion(
        of id: String,
        of userID: String,
        from address: String,
        by administrator: Administrator? = nil
    ) -> [SQL] {
        let deletion: SQL = "DELETE FROM auth.webauthn_credentials WHERE id = \(id) AND user_id = \(userID)"
        guard let administrator else { return [deletion] + note(.passkeyDeleted, id, of: userID, from: address) }
        let entry = administrator.entry(.passkeyDeleted, ["user_id": .string(userID), "passkey_id": .string(id)])
        return [deletion] + tables.audit(entry, of: userID)
    }

    private func note(_ action: AuditEntry.Action, _ id: String, of userID: String, from address: String) -> [SQL] {
        let entry = AuditEntry(action: action, traits: ["passkey_id": .string(id)], address: address)
        return tables.audit(entry, of: userID)
    }
}

extension AccountTables {
    /// Deletes the account's passkeys.
    func forgettingPasskeys(of userID: String) -> [SQL] {
        hasPasskeys ? ["DELETE FROM auth.webauthn_credentials WHERE user_id = \(userID)"] : []
    }

    /// Deletes the account's passkeys and second factors, which somebody has added who did not own its address.
    func forgettingAuthenticators(of userID: String) -> [SQL] {
        forgettingPasskeys(of: userID)
            + (hasFactors ? ["DELETE FROM auth.mfa_factors WHERE user_id = \(userID)"] : [])
    }
}
