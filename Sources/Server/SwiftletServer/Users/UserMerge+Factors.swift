import SwiftletPostgres

extension UserMerge {
    /// Whether somebody has shown that the account's address, number or identity is theirs.
    func isProven(_ account: MergedAccount) throws -> Bool {
        // Confirmed because nobody asks is not verified.
        if account.isConfirmed,
            try tables.query(
                """
                SELECT 1 FROM auth.identities WHERE user_id = $1::uuid AND (
                    provider = 'email' AND identity_data ->> 'email_verified' = 'false'
                    OR provider = 'phone' AND identity_data ->> 'phone_verified' = 'false'
                ) LIMIT 1
                """,
                [from]
            ).isEmpty
        {
            return true
        }
        return try !tables.query(
            "SELECT 1 FROM auth.identities WHERE user_id = $1::uuid AND provider NOT IN ('email', 'phone') LIMIT 1",
            [from]
        ).isEmpty
    }

    /// Whoever made them would enter the other account with them.
    mutating func giveUpFactors() throws {
        for (table, name) in [("auth.mfa_factors", "second factors"), ("auth.webauthn_credentials", "passkeys")]
        where try has(table) {
            let held = try tables.query("SELECT 1 FROM \(table) WHERE user_id = $1::uuid", [from])
            guard !held.isEmpty else { continue }
            report.notes.append("\(held.count) \(name) are given up: nobody has shown that the account is theirs")
            try tables.query("DELETE FROM \(table) WHERE user_id = $1::uuid", [from])
        }
    }

    mutating func moveFactors() throws {
        if tables.has("auth.mfa_recovery_code_sets") {
            // One set for each account.
            try tables.query(
                """
                DELETE FROM auth.mfa_factors WHERE id = (
                    SELECT mfa_factor_id FROM auth.mfa_recovery_code_sets WHERE user_id = $1::uuid
                        AND EXISTS (SELECT FROM auth.mfa_recovery_code_sets WHERE user_id = $2::uuid)
                )
                """,
                [from, into]
            )
            report.add("recovery codes", try move("auth.mfa_recovery_code_sets"))
        }
        if tables.has("auth.mfa_factors", "user_id") {
            if tables.has("auth.mfa_factors", "phone") {
                // Of two of one number the one that was never verified goes.
                try tables.query(
                    """
                    DELETE FROM auth.mfa_factors WHERE user_id = $2::uuid AND status::text <> 'verified' AND phone IN (
                        SELECT phone FROM auth.mfa_factors WHERE user_id = $1::uuid AND status::text = 'verified'
                    )
                    """,
                    [from, into]
                )
                try tables.query(
                    """
                    DELETE FROM auth.mfa_factors WHERE user_id = $1::uuid
                        AND phone IN (SELECT phone FROM auth.mfa_factors WHERE user_id = $2::uuid)
                    """,
                    [from, into]
                )
            }
            try tables.query(
                """
                UPDATE auth.mfa_factors SET friendly_name = friendly_name || ' (' || left(id::text, 4) || ')'
                WHERE user_id = $1::uuid AND trim(friendly_name) <> ''
                    AND friendly_name IN (SELECT friendly_name FROM auth.mfa_factors WHERE user_id = $2::uuid)
                """,
                [from, into]
            )
            report.add("second factors", try move("auth.mfa_factors"))
        }
        if tables.has("auth.webauthn_credentials") { report.add("passkeys", try move("auth.webauthn_credentials")) }
    }
}
