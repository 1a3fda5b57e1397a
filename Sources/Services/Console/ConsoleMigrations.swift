/// The tables of the console.
package enum ConsoleMigrations {
    package static let owner = "swiftlet.console"

    package static let texts: [(name: String, sql: [UInt8])] = [
        ("0075_console", PackageResources._075_console_sql),
        ("0076_console_search", PackageResources._076_console_search_sql),
    ]
}
