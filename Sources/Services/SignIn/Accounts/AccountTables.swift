import SwiftletPostgres

/// The tables of this database that accounts are stored in. They differ between versions of GoTrue.
struct AccountTables: Sendable {
    /// The tables of the schema `auth`.
    let auth: AuthTables
    /// The fragments that statements about accounts are made of.
    let sql: AccountSQL

    init(_ auth: AuthTables, _ tenantTables: Schema) {
        self.auth = auth
        sql = AccountSQL(auth, tenantTables)
    }

    /// Whether the schema `auth` has this table with this column.
    func has(_ table: String, _ column: String) -> Bool { auth.has(table, column) }

    /// False without our latest migrations: access tokens run out by themselves then.
    var hasEndedTokens: Bool { has("ended_tokens", "kept_until") }

    /// The column of `auth.identities` with the user's id at the provider; older tables call it `id`.
    var subjectColumn: StaticString { has("identities", "provider_id") ? "provider_id" : "id" }

    /// Older versions of GoTrue keep one-time tokens in the columns of `auth.users` only.
    var hasTokenTable: Bool { has("one_time_tokens", "user_id") }

    /// False for databases of an older GoTrue or without our latest migrations: links lead straight to a session then.
    var hasFlowStates: Bool { has("flow_state", "auth_code_issued_at") && has("flow_state", "authentication_method") }

    /// False for databases of an older GoTrue, or where its administrator has not granted the tables: nobody can enrol
    /// a second factor then.
    var hasFactors: Bool { has("mfa_factors", "last_challenged_at") && has("mfa_challenges", "ip_address") }

    /// Whether authenticators can be second factors; older versions of GoTrue have no columns for them.
    var hasAuthenticatorFactors: Bool {
        hasFactors && has("mfa_factors", "web_authn_credential") && has("mfa_challenges", "web_authn_session_data")
    }

    var hasRecoveryCodes: Bool {
        hasFactors && has("mfa_recovery_code_sets", "mfa_factor_id") && has("mfa_recovery_codes", "code_hash")
    }

    /// False for databases of an older GoTrue, or where its administrator has not granted the tables: nobody can have a
    /// passkey then.
    var hasPasskeys: Bool { has("webauthn_credentials", "sign_count") && has("webauthn_challenges", "session_data") }
}
