import SwiftletPostgres

/// Connects once before the server starts: where the database's server runs and refuses us, waiting would not help.
struct DatabaseAdmission: Sendable {
    let database: DatabaseSettings

    /// Throws ``ConfigurationError`` with the remedy. An outage is none: the server waits for the database then.
    func check() async throws {
        let url = database.url
        do {
            try await blocking { _ = try BlockingConnection.connect(to: url) }
        } catch let error as BlockingConnectionError where error.isRefusal {
            throw fault(error)
        } catch is BlockingConnectionError {
            return
        }
    }

    func fault(_ error: BlockingConnectionError) -> ConfigurationError {
        let remedy =
            switch error.state {
            case "3D000": "make it with createdb, or correct its name"
            case "42501": "GRANT CONNECT ON DATABASE to this user"
            default: "check the user, the password and the server's pg_hba.conf"
            }
        return ConfigurationError(["DATABASE_URL (\(database)): \(error): \(remedy)"])
    }
}
