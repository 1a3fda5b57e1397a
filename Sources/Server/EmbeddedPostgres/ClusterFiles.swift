import SwiftletEssentials

/// The files of one cluster: `data/`, `socket/`, `postgres.log` and `lock` in one folder.
struct ClusterFiles: Sendable {
    let folder: String
    let socketFolder: String
    let privileges: Privileges

    var data: String { "\(folder)/data" }
    var log: String { "\(folder)/postgres.log" }
    var lock: String { "\(folder)/lock" }

    /// Creates the folder, accessible only to the user that the server runs as. Leaves another user's folder as it is.
    static func prepare(_ wanted: String, privileges: Privileges) throws(EmbeddedPostgresError) -> ClusterFiles {
        var folder = URL(fileURLWithPath: wanted).standardizedFileURL.path
        if let special = folder.unicodeScalars.first(where: specialCharacters.contains) {
            let reason = "its path contains \(special.debugDescription), which pg_ctl and postgresql.conf misread"
            throw .folderUnusable(folder: folder, reason: reason)
        }
        for path in [folder, "\(folder)/data"] {
            guard let owner = privileges.otherOwner(of: path) else { continue }
            throw .folderUnusable(folder: folder, reason: "it belongs to \(owner). Run as \(owner), or delete it")
        }
        try makeFolder(folder, for: privileges)
        if !privileges.canEnter(folder) {
            // The unprivileged user cannot access a clone in /root.
            _ = unsafe rmdir(folder)
            folder = fallbackFolder(for: folder)
            try makeFolder(folder, for: privileges)
            guard privileges.canEnter(folder) else {
                throw .folderUnusable(folder: folder, reason: "\(privileges.user?.name ?? "the user") cannot enter it")
            }
        }
        var socketFolder = "\(folder)/socket"
        if socketFolder.utf8.count > maximumSocketFolderBytes { socketFolder = "/tmp/swiftlet-\(UUID().uuidString)" }
        try makeFolder(socketFolder, for: privileges)
        return ClusterFiles(folder: folder, socketFolder: socketFolder, privileges: privileges)
    }

    /// The path of a socket has at most 103 bytes (macOS) or 107 (Linux), with room for `/.s.PGSQL.5432.lock`.
    private static let maximumSocketFolderBytes = 80

    /// pg_ctl puts paths in double quotes on a shell's command line; a value in postgresql.conf is a single line.
    private static let specialCharacters: Set<Unicode.Scalar> = ["\"", "$", "`", "\\", "\n", "\r"]

    /// The major version in `data/PG_VERSION`; nil if there is no cluster yet.
    var dataVersion: String? {
        guard let text = try? String(contentsOfFile: "\(data)/PG_VERSION", encoding: .utf8) else { return nil }
        return text.trimmed
    }

    /// Runs initdb in a temporary folder, so that an interruption leaves no incomplete cluster.
    ///
    /// Its name is new each time: after an interruption the last initdb may still be writing to its own folder.
    func initialize(
        with binaries: ServerBinaries,
        isSynchronized: Bool
    ) throws(EmbeddedPostgresError) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name == "data" || name.hasPrefix("data.") {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let partial = "\(folder)/data.\(UUID().uuidString)"
        var command = [
            binaries.path("initdb"), "--pgdata=\(partial)", "--username=postgres", "--auth=trust", "--encoding=UTF8",
        ]
        if !isSynchronized { command.append("--no-sync") }
        do throws(EmbeddedPostgresError) {
            try privileges.run(command + ["--locale=C.UTF-8"])
        } catch {
            // Not every system has C.UTF-8.
            try? FileManager.default.removeItem(atPath: partial)
            try privileges.run(command + ["--locale=C"])
        }
        let configuration = "\(partial)/postgresql.conf"
        do {
            let text = try String(contentsOfFile: configuration, encoding: .utf8)
            try Data("\(text)\ninclude 'swiftlet.conf'\n".utf8).write(to: URL(fileURLWithPath: configuration))
            try FileManager.default.moveItem(atPath: partial, toPath: data)
        } catch {
            throw .folderUnusable(folder: folder, reason: error.reason)
        }
    }

    /// Copies the running cluster at `url`, as a standby that follows it.
    func copy(_ url: String, with binaries: ServerBinaries) throws(EmbeddedPostgresError) {
        try privileges.run([
            binaries.path("pg_basebackup"), "--pgdata=\(data)", "--dbname=\(url)", "--write-recovery-conf",
            "--wal-method=stream", "--checkpoint=fast", "--no-sync",
        ])
    }

    /// Writes `swiftlet.conf`, at each start because the socket's folder may have changed.
    func writeSettings(
        _ settings: [String: String],
        lifetime: PostgresCluster.Lifetime
    ) throws(EmbeddedPostgresError) {
        var all = [
            "listen_addresses": "", "unix_socket_directories": socketFolder, "unix_socket_permissions": "0700",
            "timezone": "UTC", "log_timezone": "UTC", "lc_messages": "C",
        ]
        if lifetime == .throwAway {
            for name in ["fsync", "synchronous_commit", "full_page_writes"] { all[name] = "off" }
        }
        all.merge(settings) { $1 }
        let lines = all.sorted { $0.key < $1.key }.map { name, value in
            "\(name) = '\(value.replacing("'", with: "''"))'\n"
        }
        do {
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: "\(data)/swiftlet.conf"))
        } catch {
            throw .folderUnusable(folder: data, reason: error.reason)
        }
        try privileges.own("\(data)/swiftlet.conf")
        try privileges.own("\(data)/postgresql.conf")
    }

    var postmaster: PostmasterFile { PostmasterFile(dataFolder: data) }

    /// Stops a server that outlived its owner, and removes a stale `postmaster.pid`.
    ///
    /// PostgreSQL refuses to start if the process id in that file is in use, which is common in containers, where
    /// process ids are small and repeat.
    func stopOrphan(with binaries: ServerBinaries) throws(EmbeddedPostgresError) {
        if postmaster.isRunning {
            try privileges.run([
                binaries.path("pg_ctl"), "stop", "--silent", "--wait", "--mode=fast", "--pgdata=\(data)",
            ])
        } else {
            try? FileManager.default.removeItem(atPath: postmaster.path)
        }
    }

    /// The folder to use if the unprivileged user cannot enter `folder`.
    static func fallbackFolder(for folder: String) -> String {
        "/var/lib/swiftlet/\(fingerprint(URL(fileURLWithPath: folder).standardizedFileURL.path))"
    }

    func temporaryFolders(_ lifetime: PostgresCluster.Lifetime) -> [String] {
        (lifetime == .throwAway ? [folder] : []) + (socketFolder.hasPrefix(folder) ? [] : [socketFolder])
    }

    private static func makeFolder(_ path: String, for privileges: Privileges) throws(EmbeddedPostgresError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        } catch {
            throw .folderUnusable(folder: path, reason: error.reason)
        }
        try privileges.own(path)
    }

    /// FNV-1a of the path, so that the same clone finds its data again.
    private static func fingerprint(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
