import SwiftletEmbeddedPostgres
import SwiftletPostgres

/// The private cluster of `swiftlet dev` with its database `swiftlet`.
struct DevelopmentDatabase: Sendable {
    /// Changes are read from the write-ahead log, of which a reader that stays away may keep so much and no more.
    private static let settings = [
        "max_connections": "100", "wal_level": "logical", "max_slot_wal_keep_size": "1GB",
    ]

    let cluster: PostgresCluster
    let url: String

    static func start(in folder: DevelopmentFolder) throws -> DevelopmentDatabase {
        if !PostgresCluster.exists(in: folder.database) {
            Terminal.say("making a private PostgreSQL in \(folder.path), once")
        }
        let cluster = try PostgresCluster.start(in: folder.database, settings: settings)
        do {
            let administrator = try BlockingConnection.connect(to: cluster.url())
            if try administrator.query("SELECT 1 FROM pg_database WHERE datname = 'swiftlet'").isEmpty {
                try administrator.execute("CREATE DATABASE swiftlet")
            }
        } catch {
            cluster.stop()
            throw error
        }
        return DevelopmentDatabase(cluster: cluster, url: cluster.url(database: "swiftlet"))
    }
}
