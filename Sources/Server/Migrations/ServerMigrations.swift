/// What all rooms of the server build on: roles, claims and the schema `swiftlet`.
///
/// Other rooms bring their tables as ``MigrationFile/embedded(_:owner:)``, each with an owner and numbers of its own.
package enum ServerMigrations {
    package static let owner = "swiftlet"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0001_claims_and_roles", PackageResources._001_claims_and_roles_sql),
        ("0016_row_times", PackageResources._016_row_times_sql),
        ("0017_schema", PackageResources._017_schema_sql),
        ("0060_role_limits", PackageResources._060_role_limits_sql),
        ("0061_role_level", PackageResources._061_role_level_sql),
        ("0063_rate_counts", PackageResources._063_rate_counts_sql),
        ("0064_access_checks", PackageResources._064_access_checks_sql),
        ("0065_unkept_files", PackageResources._065_unkept_files_sql),
        ("0067_search", PackageResources._067_search_sql),
        ("0070_idempotency_keys", PackageResources._070_idempotency_keys_sql),
    ]
}

extension MigrationFile {
    /// Migrations that are part of the binary, by number.
    package static func embedded(
        _ texts: [(name: String, sql: [UInt8])],
        owner: String
    ) throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for (name, sql) in texts {
            let text = String(decoding: sql, as: UTF8.self)
            files.append(try MigrationFile(fileName: name + ".sql", text: text, owner: owner))
        }
        return files.sorted { $0.number < $1.number }
    }

    /// Whether the file comes with the binary.
    package var isPlatform: Bool { owner == ServerMigrations.owner || owner.hasPrefix(ServerMigrations.owner + ".") }
}
