/// The tables of accounts, sessions and limits: GoTrue's schema `auth`, and `login_attempts`.
package enum SignInMigrations {
    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0005_auth_schema", PackageResources._005_auth_schema_sql),
        ("0006_auth_functions", PackageResources._006_auth_functions_sql),
        ("0007_login_attempts", PackageResources._007_login_attempts_sql),
        ("0008_email_change_index", PackageResources._008_email_change_index_sql),
        ("0010_flow_state", PackageResources._010_flow_state_sql),
        ("0015_devices", PackageResources._015_devices_sql),
    ]
}
