/// Migrations that are part of the binary, see ``RestAPI``.
package enum RestMigrations {
    package static let owner = "swiftlet.rest"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0011_schema_change_events", PackageResources._011_schema_change_events_sql)
    ]
}
