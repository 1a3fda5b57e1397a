import SwiftletPostgres

/// The statements that write recovery codes.
struct RecoveryCodeStatements: Sendable {
    let tables: AccountTables

    /// Selects the factor that stands for the codes, `total` and `remaining`; no row if there are none.
    func selection(of userID: String) -> SQL {
        """
        SELECT s.id::text AS id, to_jsonb(f)::text AS factor, (
            SELECT count(*) FROM auth.mfa_recovery_codes AS c WHERE c.mfa_recovery_code_set_id = s.id
        ) AS total, (
            SELECT count(*) FROM auth.mfa_recovery_codes AS c
            WHERE c.mfa_recovery_code_set_id = s.id AND c.consumed_at IS NULL
        ) AS remaining
        FROM auth.mfa_recovery_code_sets AS s JOIN auth.mfa_factors AS f ON f.id = s.mfa_factor_id
        WHERE s.user_id = \(userID)
        """
    }

    /// Selects `id` and `hash` of the codes that were not used.
    func unused(in setID: String) -> SQL {
        """
        SELECT id::text AS id, code_hash AS hash FROM auth.mfa_recovery_codes
        WHERE mfa_recovery_code_set_id = \(setID) AND consumed_at IS NULL ORDER BY id LIMIT 100
        """
    }

    func insertion(of set: String, _ factorID: String, named name: String, for userID: String) -> [SQL] {
        var factor = RowValues("mfa_factors", tables.auth)
        factor.set("id", "\(factorID)")
        factor.set("user_id", "\(userID)")
        factor.set("friendly_name", "\(name)")
        factor.set("factor_type", "'recovery_code'")
        factor.set("status", "'verified'")
        factor.set("created_at", "now()")
        factor.set("updated_at", "now()")
        return [
            factor.insertion,
            """
            INSERT INTO auth.mfa_recovery_code_sets (id, user_id, mfa_factor_id, created_at, updated_at)
            VALUES (\(set), \(userID), \(factorID), now(), now())
            """,
        ]
    }

    /// Puts new codes into the place of all that there are.
    func replacement(of set: String, by hashes: [String]) -> [SQL] {
        [
            "DELETE FROM auth.mfa_recovery_codes WHERE mfa_recovery_code_set_id = \(set)",
            """
            INSERT INTO auth.mfa_recovery_codes (id, mfa_recovery_code_set_id, code_hash, created_at)
            SELECT gen_random_uuid(), \(set), hash, now() FROM unnest(\(hashes)::text[]) AS hash
            """,
            """
            UPDATE auth.mfa_recovery_code_sets
            SET failed_verification_count = 0, verification_locked_until = NULL, updated_at = now() WHERE id = \(set)
            """,
        ]
    }

    /// Uses the code, and returns a row unless it was used meanwhile.
    func use(of id: String) -> SQL {
        """
        UPDATE auth.mfa_recovery_codes SET consumed_at = now() WHERE id = \(id) AND consumed_at IS NULL RETURNING 1
        """
    }

    /// Selects a row if the account has recovery codes, and no other verified factor than this one.
    func standsOnly(on factor: Factor, of userID: String) -> SQL {
        """
        SELECT 1 FROM auth.mfa_recovery_code_sets WHERE user_id = \(userID) AND NOT EXISTS (
            SELECT FROM auth.mfa_factors AS f
            WHERE f.user_id = \(userID) AND f.status = 'verified' AND f.id <> \(factor.id)
                AND f.factor_type::text <> 'recovery_code'
        )
        """
    }

    /// Deletes the codes if the account has no other verified factor any more.
    func sweep(of userID: String) -> SQL {
        """
        DELETE FROM auth.mfa_factors WHERE user_id = \(userID) AND factor_type::text = 'recovery_code' AND NOT EXISTS (
            SELECT FROM auth.mfa_factors AS f
            WHERE f.user_id = \(userID) AND f.status = 'verified' AND f.factor_type::text <> 'recovery_code'
        )
        """
    }
}
