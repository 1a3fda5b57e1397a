/// The tables of accounts, sessions and limits: GoTrue's schema `auth`, `swiftlet.login_attempts`,
/// `swiftlet.ended_tokens` and `swiftlet.provider_grants`.
package enum SignInMigrations {
    package static let owner = "swiftlet.auth"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0005_auth_schema", PackageResources._005_auth_schema_sql),
        ("0006_auth_functions", PackageResources._006_auth_functions_sql),
        ("0008_email_change_index", PackageResources._008_email_change_index_sql),
        ("0010_flow_state", PackageResources._010_flow_state_sql),
        ("0017_login_attempts", PackageResources._017_login_attempts_sql),
        ("0020_mfa_factors", PackageResources._020_mfa_factors_sql),
        ("0021_provider_redirects", PackageResources._021_provider_redirects_sql),
        ("0022_phone_change_index", PackageResources._022_phone_change_index_sql),
        ("0023_webauthn_credentials", PackageResources._023_webauthn_credentials_sql),
        ("0024_recovery_codes", PackageResources._024_recovery_codes_sql),
        ("0025_ended_tokens", PackageResources._025_ended_tokens_sql),
        ("0026_audit_log_index", PackageResources._026_audit_log_index_sql),
        ("0027_audit_log_age_index", PackageResources._027_audit_log_age_index_sql),
        ("0028_provider_grants", PackageResources._028_provider_grants_sql),
        ("0029_account_remains", PackageResources._029_account_remains_sql),
    ]
}
