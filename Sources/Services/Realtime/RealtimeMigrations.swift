/// What private channels and broadcasts from the database need.
package enum RealtimeMigrations {
    package static let owner = "swiftlet.realtime"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0050_realtime_messages", PackageResources._050_realtime_messages_sql),
        ("0051_realtime_parcels", PackageResources._051_realtime_parcels_sql),
        ("0055_changes", PackageResources._055_changes_sql),
        ("0056_sync", PackageResources._056_sync_sql),
        ("0057_realtime_key", PackageResources._057_realtime_key_sql),
        ("0058_change_timeline", PackageResources._058_change_timeline_sql),
    ]
}
