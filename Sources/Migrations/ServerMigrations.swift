/// The server's own tables that are nobody else's: roles, claims, tenants and users.
///
/// Other rooms bring theirs as ``MigrationFile/embedded(_:)``. They share one line of numbers, so a new one takes the
/// next number of all of them.
package enum ServerMigrations {
    /// Who owns the tables that come with the binary.
    package static let owner = "swiftlet"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0001_claims_and_roles", PackageResources._001_claims_and_roles_sql),
        ("0002_tenants_and_users", PackageResources._002_tenants_and_users_sql),
        ("0009_read_only_policies", PackageResources._009_read_only_policies_sql),
        ("0016_row_times", PackageResources._016_row_times_sql),
    ]
}

extension MigrationFile {
    /// Migrations that are part of the binary, by number.
    package static func embedded(_ texts: [(name: String, sql: [UInt8])]) throws(MigrationError) -> [MigrationFile] {
        var files: [MigrationFile] = []
        for (name, sql) in texts {
            let text = String(decoding: sql, as: UTF8.self)
            files.append(try MigrationFile(fileName: name + ".sql", text: text, owner: ServerMigrations.owner))
        }
        return files.sorted { $0.number < $1.number }
    }
}
