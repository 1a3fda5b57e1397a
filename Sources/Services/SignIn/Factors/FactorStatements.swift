import SwiftletBytes
import SwiftletJSON
import SwiftletPostgres

/// The statements that write second factors and their challenges.
struct FactorStatements: Sendable {
    let tables: AccountTables
    /// The client's, for the audit log.
    var address = ""

    // MARK: Factors

    func insertion(ofTOTP id: String, named name: String, secret: String, for userID: String) -> [SQL] {
        insertion(of: "totp", id, named: name, for: userID) { $0.set("secret", "\(secret)") }
    }

    func insertion(ofPhone id: String, _ number: PhoneNumber, named name: String, for userID: String) -> [SQL] {
        insertion(of: "phone", id, named: name, for: userID) { $0.set("phone", "\(number.rawValue)") }
    }

    /// Deletes the account's factor of the number that was never verified.
    func sweep(ofPhone number: PhoneNumber, of userID: String) -> SQL {
        """
        DELETE FROM auth.mfa_factors
        WHERE user_id = \(userID) AND status = 'unverified' AND factor_type = 'phone' AND phone = \(number.rawValue)
        """
    }

    func insertion(ofAuthenticator id: String, named name: String, for userID: String) -> [SQL] {
        insertion(of: "webauthn", id, named: name, for: userID)
    }

    private func insertion(
        of type: String,
        _ id: String,
        named name: String,
        for userID: String,
        _ more: (inout RowValues) -> Void = { _ in }
    ) -> [SQL] {
        var row = RowValues("mfa_factors", tables.auth)
        row.set("id", "\(id)")
        row.set("user_id", "\(userID)")
        row.set("friendly_name", "\(name)")
        row.set("factor_type", "\(type)")
        row.set("status", "'unverified'")
        more(&row)
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        let entry = AuditEntry(action: .factorInProgress, traits: ["factor_id": .string(id)], address: address)
        return [row.insertion] + tables.audit(entry, of: userID)
    }

    /// Deletes the account's factors that were never verified within `seconds`.
    func sweep(of userID: String, afterSeconds seconds: Int) -> SQL {
        """
        DELETE FROM auth.mfa_factors WHERE user_id = \(userID) AND status = 'unverified'
            AND created_at < now() - \(seconds) * interval '1 second'
            AND NOT EXISTS (
                SELECT FROM auth.mfa_challenges AS c WHERE c.factor_id = mfa_factors.id
                    AND c.created_at > now() - \(seconds) * interval '1 second'
            )
        """
    }

    /// Marks the factor as verified, and deletes those that the account has begun to enrol beside it: somebody else may have
    /// begun them, with the password alone.
    func verification(of factor: Factor, of userID: String) -> [SQL] {
        [
            "UPDATE auth.mfa_factors SET status = 'verified', updated_at = now() WHERE id = \(factor.id)",
            """
            DELETE FROM auth.mfa_factors
            WHERE user_id = \(userID) AND status = 'unverified' AND id <> \(factor.id)
            """,
        ]
    }

    /// Deletes the factor with its challenges. The sessions that it has raised are at `aal1` again.
    func deletion(of factor: Factor, of userID: String, noting entry: AuditEntry) -> [SQL] {
        let sessions: SQL = "SELECT id FROM auth.sessions WHERE user_id = \(userID) AND factor_id = \(factor.id)"
        return [
            """
            DELETE FROM auth.mfa_amr_claims WHERE session_id IN (\(sessions))
                AND authentication_method IN ('totp', 'mfa/phone', 'mfa/webauthn', 'mfa/recovery_code')
            """,
            """
            UPDATE auth.sessions SET aal = 'aal1', factor_id = NULL, updated_at = now()
            WHERE user_id = \(userID) AND factor_id = \(factor.id)
            """,
            "DELETE FROM auth.mfa_factors WHERE id = \(factor.id)",
            "DELETE FROM swiftlet.used_factor_codes WHERE factor_id = \(factor.id)",
        ] + tables.audit(entry, of: userID)
    }

    // MARK: Challenges

    /// Inserts a challenge, and deletes those of the factor that have expired.
    ///
    /// `data` is what an authenticator is asked; nil for codes.
    func insertion(
        ofChallenge id: String,
        to factor: Factor,
        from address: String,
        data: JSONValue? = nil,
        lifetimeSeconds: Int
    ) -> [SQL] {
        var row = RowValues("mfa_challenges", tables.auth)
        row.set("id", "\(id)")
        row.set("factor_id", "\(factor.id)")
        row.set("created_at", "now()")
        row.set("ip_address", Self.inet(address))
        if let data { row.set("web_authn_session_data", "\(data.description)::jsonb") }
        return [
            """
            DELETE FROM auth.mfa_challenges WHERE factor_id = \(factor.id)
                AND created_at < now() - \(lifetimeSeconds) * interval '1 second'
            """,
            row.insertion,
            // Unique in GoTrue's table.
            "UPDATE auth.mfa_factors SET last_challenged_at = clock_timestamp() WHERE id = \(factor.id)",
        ]
    }

    /// Selects the challenge with its factor's secret, and locks it.
    func selection(ofChallenge id: String, to factor: Factor, lifetimeSeconds: Int) -> SQL {
        """
        SELECT c.verified_at IS NOT NULL AS is_used,
            host(c.ip_address) AS address, f.secret,
            c.created_at < now() - \(lifetimeSeconds) * interval '1 second' AS has_expired
        FROM auth.mfa_challenges AS c JOIN auth.mfa_factors AS f ON f.id = c.factor_id
        WHERE c.id = \(id) AND f.id = \(factor.id) FOR UPDATE
        """
    }

    /// The same for an authenticator, with what was asked and what is known of it. Challenges of other sessions are none.
    func selection(
        ofAuthenticatorChallenge id: String,
        to factor: Factor,
        sessionID: String,
        lifetimeSeconds: Int
    ) -> SQL {
        """
        SELECT c.verified_at IS NOT NULL AS is_used, host(c.ip_address) AS address,
            c.web_authn_session_data::text AS data, f.web_authn_credential::text AS credential,
            c.created_at < now() - \(lifetimeSeconds) * interval '1 second' AS has_expired
        FROM auth.mfa_challenges AS c JOIN auth.mfa_factors AS f ON f.id = c.factor_id
        WHERE c.id = \(id) AND f.id = \(factor.id) AND c.web_authn_session_data ->> 'session_id' = \(sessionID)
        FOR UPDATE
        """
    }

    /// Keeps a new authenticator, and returns a row unless the factor has one.
    func keeping(_ new: RelyingParty.NewCredential, by factor: Factor) -> SQL {
        """
        UPDATE auth.mfa_factors SET web_authn_credential = \(StoredAuthenticator.json(new).description)::jsonb,
            web_authn_aaguid = \(UUIDText.text(new.model)), updated_at = now()
        WHERE id = \(factor.id) AND status = 'unverified' RETURNING 1
        """
    }

    /// Notes a use of the authenticator, and returns a row unless its counter has been used up meanwhile.
    func use(ofAuthenticator factor: Factor, counter: Int, isBackedUp: Bool) -> SQL {
        """
        UPDATE auth.mfa_factors AS f SET updated_at = now(), web_authn_credential = jsonb_set(
            jsonb_set(f.web_authn_credential, '{authenticator,signCount}', to_jsonb(\(counter)::bigint)),
            '{flags,backupState}', to_jsonb(\(isBackedUp)::boolean)
        )
        FROM (SELECT coalesce((web_authn_credential #>> '{authenticator,signCount}')::bigint, 0) AS used
            FROM auth.mfa_factors WHERE id = \(factor.id) FOR UPDATE) AS known
        WHERE f.id = \(factor.id) AND (used < \(counter)::bigint OR (used = 0 AND \(counter)::bigint = 0))
        RETURNING 1
        """
    }

    func use(ofChallenge id: String) -> SQL { "UPDATE auth.mfa_challenges SET verified_at = now() WHERE id = \(id)" }

    /// Returns a row unless a code of this step, or of a later one, was accepted before. Also deletes some old rows.
    func use(ofStep step: Int, by factor: Factor) -> SQL {
        """
        WITH swept AS (
            DELETE FROM swiftlet.used_factor_codes WHERE factor_id IN (
                SELECT factor_id FROM swiftlet.used_factor_codes
                WHERE used_at < now() - interval '1 day' AND factor_id <> \(factor.id)
                ORDER BY used_at LIMIT 10 FOR UPDATE SKIP LOCKED
            )
        )
        INSERT INTO swiftlet.used_factor_codes AS known (factor_id, step) VALUES (\(factor.id), \(step))
        ON CONFLICT (factor_id) DO UPDATE SET step = excluded.step, used_at = now() WHERE known.step < excluded.step
        RETURNING 1
        """
    }

    /// The column cannot be NULL.
    private static func inet(_ address: String) -> SQL {
        "coalesce(nullif(\(address)::text, '')::inet, '0.0.0.0')"
    }
}
