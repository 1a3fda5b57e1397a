import SwiftletPostgres

extension Migrator {
    /// Notes the files as applied without running them: the database has been changed by hand as they say.
    package func markApplied() throws(MigrationError) {
        let connection = try connect()
        try prepare(connection)
        for file in files {
            _ = try rows(
                connection,
                """
                INSERT INTO swiftlet.migrations (owner, number, name, checksum)
                VALUES ($1, $2, $3, encode(sha256(convert_to($4, 'UTF8')), 'hex')) ON CONFLICT DO NOTHING
                """,
                [file.owner, "\(file.number)", file.name, file.text]
            )
        }
    }
}
