/// The tables of buckets and objects, see ``FilesAPI``.
package enum FilesMigrations {
    package static let owner = "swiftlet.storage"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0040_storage_schema", PackageResources._040_storage_schema_sql),
        ("0041_storage_listing", PackageResources._041_storage_listing_sql),
        ("0042_storage_purge", PackageResources._042_storage_purge_sql),
        ("0043_storage_uploads", PackageResources._043_storage_uploads_sql),
        ("0044_storage_listing_end", PackageResources._044_storage_listing_end_sql),
        ("0045_storage_listing_page", PackageResources._045_storage_listing_page_sql),
    ]
}
