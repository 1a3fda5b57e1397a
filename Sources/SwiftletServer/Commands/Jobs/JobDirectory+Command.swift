import Jobs

extension JobDirectory {
    /// Of the database that the settings name.
    static func open() throws -> JobDirectory {
        try JobDirectory(DatabaseSettings(try Environment.current().withDevelopmentDefaults()).url)
    }
}
