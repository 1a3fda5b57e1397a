import SwiftletEssentials
import SwiftletHTTP
import Synchronization

/// A private PostgreSQL server with its own data folder and a unix socket that other users cannot access, without TCP.
///
/// If started by root, it runs as `postgres` or `nobody`. It stops when its owner ends, even if that is killed.
package final class PostgresCluster: Sendable {
    /// What happens to the data when the server stops.
    package enum Lifetime: Sendable {
        /// The data are kept and survive a crash of the machine.
        case durable
        /// The data are deleted, and never synchronized to disk: for tests and benchmarks.
        case throwAway
    }

    /// The actual folder, which differs from the requested one if the unprivileged user cannot enter that.
    package var folder: String { files.folder }
    /// The folder of the unix socket, libpq's `host`.
    package var socketFolder: String { files.socketFolder }

    private let files: ClusterFiles
    private let pgctl: String
    private let watchdog: Watchdog
    private let lifetime: Lifetime
    private let lock: Mutex<FolderLock?>

    private init(
        files: ClusterFiles,
        pgctl: String,
        watchdog: Watchdog,
        lifetime: Lifetime,
        lock: consuming FolderLock
    ) {
        self.files = files
        self.pgctl = pgctl
        self.watchdog = watchdog
        self.lifetime = lifetime
        self.lock = Mutex(lock)
    }

    /// Creates the cluster if `folder` contains none, starts it and waits until it answers. Blocks for a second or two.
    ///
    /// `settings` are parameters for postgresql.conf with unquoted values. The superuser is `postgres`, without
    /// password. With a `primary`, a cluster that is created is a standby of it and follows it.
    package static func start(
        in folder: String,
        lifetime: Lifetime = .durable,
        settings: [String: String] = [:],
        following primary: PostgresCluster? = nil
    ) throws(EmbeddedPostgresError) -> PostgresCluster {
        let privileges = try Privileges.choose()
        let files = try ClusterFiles.prepare(folder, privileges: privileges)
        guard let lock = try FolderLock.acquire(files.lock) else { throw .inUse(folder: files.folder) }
        let version = files.dataVersion
        let binaries = try ServerBinaries.find(major: version, dataFolder: files.folder)
        if version == nil {
            let isSynchronized = lifetime == .durable && settings["fsync"] != "off"
            if let primary {
                try files.copy(primary.url(), with: binaries)
            } else {
                try files.initialize(with: binaries, isSynchronized: isSynchronized)
            }
        }
        try files.stopOrphan(with: binaries)
        try files.writeSettings(settings, lifetime: lifetime)
        let watchdog = try Watchdog.start(
            dataFolder: files.data,
            isThrowAway: lifetime == .throwAway,
            removing: files.temporaryFolders(lifetime)
        )
        let log = ServerLogFile(files.log)
        do throws(EmbeddedPostgresError) {
            try privileges.run([
                binaries.path("pg_ctl"), "start", "--silent", "--wait", "--timeout=60", "--pgdata=\(files.data)",
                "--log=\(files.log)",
            ])
        } catch {
            guard let output = log.endOfNews else { throw error }
            throw .startFailed(log: files.log, output: output)
        }
        return PostgresCluster(
            files: files,
            pgctl: binaries.path("pg_ctl"),
            watchdog: watchdog,
            lifetime: lifetime,
            lock: lock
        )
    }

    /// Deletes the cluster in `folder` and stops a server that outlived its owner. Throws if another process runs it.
    package static func delete(_ folder: String) throws(EmbeddedPostgresError) {
        let files = try ClusterFiles.prepare(folder, privileges: try Privileges.choose())
        guard let lock = try FolderLock.acquire(files.lock) else { throw .inUse(folder: files.folder) }
        if files.postmaster.isRunning, let version = files.dataVersion {
            try files.stopOrphan(with: try ServerBinaries.find(major: version, dataFolder: files.folder))
        }
        for path in files.temporaryFolders(.throwAway) { try? FileManager.default.removeItem(atPath: path) }
        _ = consume lock
    }

    /// A libpq URI for the socket. The database need not exist yet.
    package func url(database: String = "postgres") -> String {
        Self.url(database: database, socketFolder: socketFolder)
    }

    /// The same for a cluster in `folder` that another process is running; nil if there is none.
    package static func runningURL(in folder: String, database: String) -> String? {
        let running = places(of: folder).lazy.compactMap(\.postmaster.socketFolder).first
        return running.map { url(database: database, socketFolder: $0) }
    }

    /// Whether a start in `folder` would find data.
    package static func exists(in folder: String) -> Bool {
        places(of: folder).contains { $0.dataVersion != nil }
    }

    /// Where the cluster of `folder` may be.
    private static func places(of folder: String) -> [ClusterFiles] {
        guard let privileges = try? Privileges.choose() else { return [] }
        return [folder, ClusterFiles.fallbackFolder(for: folder)].map {
            ClusterFiles(folder: $0, socketFolder: "", privileges: privileges)
        }
    }

    private static func url(database: String, socketFolder: String) -> String {
        "postgresql:///\(database)?host=\(PercentCoding.encode(socketFolder))&user=postgres"
    }

    /// Has a standby become a primary, and waits until it is one.
    package func promote() throws(EmbeddedPostgresError) {
        try files.privileges.run([pgctl, "promote", "--silent", "--wait", "--timeout=30", "--pgdata=\(files.data)"])
    }

    /// Ends the server as a crash does, and starts it again.
    package func crashAndStart() throws(EmbeddedPostgresError) {
        try files.privileges.run([
            pgctl, "restart", "--silent", "--wait", "--timeout=60", "--mode=immediate", "--pgdata=\(files.data)",
            "--log=\(files.log)",
        ])
    }

    /// Disconnects clients, stops the server and waits until it has ended; if it does not, the watchdog goes on. A
    /// second call does nothing.
    package func stop() {
        let held = lock.withLock { lock -> FolderLock? in
            let held = lock.take()
            return held
        }
        guard let held else { return }
        let mode = lifetime == .throwAway ? "immediate" : "fast"
        _ = try? files.privileges.run([
            pgctl, "stop", "--silent", "--wait", "--timeout=30", "--mode=\(mode)", "--pgdata=\(files.data)",
        ])
        // A server that is already gone cannot be stopped, and leaves its files.
        if files.postmaster.isRunning { return watchdog.takeOver() }
        watchdog.dismiss()
        for path in files.temporaryFolders(lifetime) { try? FileManager.default.removeItem(atPath: path) }
        _ = consume held
    }
}
