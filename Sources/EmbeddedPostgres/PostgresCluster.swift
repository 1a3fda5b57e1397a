import Foundation
import Synchronization

/// A private PostgreSQL server: its own data folder, one unix socket in a folder only we may enter, no TCP.
///
/// Started as root it runs as `postgres` or `nobody`. It ends with its owner, also when the owner is killed.
package final class PostgresCluster: Sendable {
    /// What becomes of the data when the server stops.
    package enum Lifetime: Sendable {
        /// Data stay and are safe against a crash of the machine.
        case durable
        /// Data are deleted at the end and never synchronised to disk: for tests and benchmarks.
        case throwAway
    }

    /// Where the data really are: elsewhere than asked for when the unprivileged user could not enter that folder.
    package let folder: String
    /// The folder of the unix socket, libpq's `host`.
    package let socketFolder: String
    /// Whether the cluster was made by this start.
    package let isNew: Bool

    private let pgctl: String
    private let privileges: Privileges
    private let watchdog: Watchdog
    private let lifetime: Lifetime
    private let lock: Mutex<FolderLock?>

    private init(
        files: ClusterFiles,
        isNew: Bool,
        pgctl: String,
        watchdog: Watchdog,
        lifetime: Lifetime,
        lock: consuming FolderLock
    ) {
        folder = files.folder
        socketFolder = files.socketFolder
        privileges = files.privileges
        self.isNew = isNew
        self.pgctl = pgctl
        self.watchdog = watchdog
        self.lifetime = lifetime
        self.lock = Mutex(lock)
    }

    /// Makes the cluster if `folder` holds none, then starts it and waits until it answers. Blocks for a second or two.
    ///
    /// `settings` are lines of postgresql.conf, values quoted here. The superuser is `postgres`, without password.
    package static func start(
        in folder: String,
        lifetime: Lifetime = .durable,
        settings: [String: String] = [:]
    ) throws(EmbeddedPostgresError) -> PostgresCluster {
        let privileges = try Privileges.choose()
        let files = try ClusterFiles.prepare(folder, privileges: privileges)
        guard let lock = try FolderLock.acquire(files.lock) else { throw .inUse(folder: files.folder) }
        let version = files.dataVersion
        let binaries = try ServerBinaries.find(major: version, dataFolder: files.folder)
        if version == nil {
            let isSynchronised = lifetime == .durable && settings["fsync"] != "off"
            try files.initialise(with: binaries, isSynchronised: isSynchronised)
        }
        try files.stopOrphan(with: binaries)
        try files.writeSettings(settings, lifetime: lifetime)
        let watchdog = try Watchdog.start(
            dataFolder: files.data,
            isThrowAway: lifetime == .throwAway,
            removing: files.temporaryFolders(lifetime)
        )
        do throws(EmbeddedPostgresError) {
            try privileges.run([
                binaries.path("pg_ctl"), "start", "--silent", "--wait", "--timeout=60", "--pgdata=\(files.data)",
                "--log=\(files.log)",
            ])
        } catch {
            throw .startFailed(log: files.log, output: files.endOfLog)
        }
        return PostgresCluster(
            files: files,
            isNew: version == nil,
            pgctl: binaries.path("pg_ctl"),
            watchdog: watchdog,
            lifetime: lifetime,
            lock: lock
        )
    }

    /// Deletes the cluster that ``start(in:lifetime:settings:)`` would use for `folder`, ending a server that outlived
    /// its owner. Refuses while another process runs it.
    package static func delete(_ folder: String) throws(EmbeddedPostgresError) {
        let files = try ClusterFiles.prepare(folder, privileges: try Privileges.choose())
        guard let lock = try FolderLock.acquire(files.lock) else { throw .inUse(folder: files.folder) }
        if let version = files.dataVersion {
            try files.stopOrphan(with: try ServerBinaries.find(major: version, dataFolder: files.folder))
        }
        for path in files.temporaryFolders(.throwAway) { try? FileManager.default.removeItem(atPath: path) }
        _ = consume lock
    }

    /// A libpq URI over the socket; the database need not exist yet.
    package func url(database: String = "postgres") -> String {
        Self.url(database: database, socketFolder: socketFolder)
    }

    /// The same for a cluster that some other process runs in `folder` now; nil when none runs there.
    package static func runningURL(in folder: String, database: String) -> String? {
        guard let privileges = try? Privileges.choose() else { return nil }
        let places = [folder, ClusterFiles.fallbackFolder(for: folder)]
        for place in places {
            let files = ClusterFiles(folder: place, socketFolder: "", privileges: privileges)
            if let socketFolder = files.runningSocketFolder {
                return url(database: database, socketFolder: socketFolder)
            }
        }
        return nil
    }

    private static func url(database: String, socketFolder: String) -> String {
        let host = socketFolder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? socketFolder
        return "postgresql:///\(database)?host=\(host)&user=postgres"
    }

    /// Disconnects clients, stops the server and waits for its end. A second call does nothing.
    package func stop() {
        let held = lock.withLock { lock -> FolderLock? in
            let held = lock.take()
            return held
        }
        guard let held else { return }
        let mode = lifetime == .throwAway ? "immediate" : "fast"
        _ = try? privileges.run([
            pgctl, "stop", "--silent", "--wait", "--timeout=30", "--mode=\(mode)", "--pgdata=\(folder)/data",
        ])
        // What is left, the watchdog removes; it also covers a stop that failed.
        watchdog.dismiss()
        if lifetime == .throwAway { try? FileManager.default.removeItem(atPath: folder) }
        if !socketFolder.hasPrefix(folder) { try? FileManager.default.removeItem(atPath: socketFolder) }
        _ = consume held
    }
}
