import SwiftletJSON
import SwiftletPostgres

/// The statements that write second factors and their challenges.
struct FactorStatements: Sendable {
    let tables: AccountTables

    // MARK: Factors

    func insertion(ofTOTP id: String, named name: String, secret: String, for userID: String) -> [SQL] {
        var row = RowValues("mfa_factors", tables.auth)
        row.set("id", "\(id)")
        row.set("user_id", "\(userID)")
        row.set("friendly_name", "\(name)")
        row.set("factor_type", "'totp'")
        row.set("status", "'unverified'")
        row.set("secret", "\(secret)")
        row.set("created_at", "now()")
        row.set("updated_at", "now()")
        return [row.insertion]
            + tables.audit(AuditEntry(action: .factorInProgress, traits: ["factor_id": .string(id)]), of: userID)
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

    /// Marks the factor as verified, and deletes those of its type that the account has begun to enrol beside it.
    func verification(of factor: Factor, of userID: String) -> [SQL] {
        [
            "UPDATE auth.mfa_factors SET status = 'verified', updated_at = now() WHERE id = \(factor.id)",
            """
            DELETE FROM auth.mfa_factors WHERE user_id = \(userID) AND status = 'unverified'
                AND factor_type::text = \(factor.type) AND id <> \(factor.id)
            """,
        ]
    }

    /// Deletes the factor with its challenges. The sessions that it has raised are at `aal1` again.
    func deletion(of factor: Factor, of userID: String) -> [SQL] {
        let sessions: SQL = "SELECT id FROM auth.sessions WHERE user_id = \(userID) AND factor_id = \(factor.id)"
        return [
            """
            DELETE FROM auth.mfa_amr_claims WHERE session_id IN (\(sessions))
                AND authentication_method IN ('totp', 'mfa/phone', 'mfa/webauthn')
            """,
            """
            UPDATE auth.sessions SET aal = 'aal1', factor_id = NULL, updated_at = now()
            WHERE user_id = \(userID) AND factor_id = \(factor.id)
            """,
            "DELETE FROM auth.mfa_factors WHERE id = \(factor.id)",
            "DELETE FROM swiftlet.used_factor_codes WHERE factor_id = \(factor.id)",
        ] + tables.audit(AuditEntry(action: .factorUnenrolled, traits: ["factor_id": .string(factor.id)]), of: userID)
    }

    // MARK: Challenges

    /// Inserts a challenge, and deletes those of the factor that have expired.
    func insertion(ofChallenge id: String, to factor: Factor, from address: String, lifetimeSeconds: Int) -> [SQL] {
        var row = RowValues("mfa_challenges", tables.auth)
        row.set("id", "\(id)")
        row.set("factor_id", "\(factor.id)")
        row.set("created_at", "now()")
        row.set("ip_address", Self.inet(address))
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
