import Foundation

/// The files of one cluster: `data/`, `socket/`, `postgres.log` and `lock` in one folder.
struct ClusterFiles: Sendable {
    let folder: String
    let socketFolder: String
    let privileges: Privileges

    var data: String { "\(folder)/data" }
    var log: String { "\(folder)/postgres.log" }
    var lock: String { "\(folder)/lock" }

    /// Makes the folder, owned by the user that the server runs as and closed to all others.
    static func prepare(_ wanted: String, privileges: Privileges) throws(EmbeddedPostgresError) -> ClusterFiles {
        var folder = URL(fileURLWithPath: wanted).standardizedFileURL.path
        try makeFolder(folder, for: privileges)
        if !privileges.canEnter(folder) {
            // A clone in /root is closed to the unprivileged user; the data go where packages keep theirs.
            _ = unsafe rmdir(folder)
            folder = fallbackFolder(for: folder)
            try makeFolder(folder, for: privileges)
            guard privileges.canEnter(folder) else {
                throw .folderUnusable(folder: folder, reason: "\(privileges.user?.name ?? "the user") cannot enter it")
            }
        }
        var socketFolder = "\(folder)/socket"
        // A socket's path has at most 103 bytes (macOS) or 107 (Linux).
        if socketFolder.utf8.count > 80 { socketFolder = "/tmp/swiftlet-\(UUID().uuidString)" }
        try makeFolder(socketFolder, for: privileges)
        return ClusterFiles(folder: folder, socketFolder: socketFolder, privileges: privileges)
    }

    /// The major version in `data/PG_VERSION`; nil when there is no cluster yet.
    var dataVersion: String? {
        guard let text = try? String(contentsOfFile: "\(data)/PG_VERSION", encoding: .utf8) else { return nil }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs initdb beside the final place, so that an interrupted run leaves no half-made cluster.
    func initialise(
        with binaries: ServerBinaries,
        isSynchronised: Bool
    ) throws(EmbeddedPostgresError) {
        let partial = "\(folder)/data.partial"
        try? FileManager.default.removeItem(atPath: partial)
        try? FileManager.default.removeItem(atPath: data)
        var command = [
            binaries.path("initdb"), "--pgdata=\(partial)", "--username=postgres", "--auth=trust", "--encoding=UTF8",
        ]
        if !isSynchronised { command.append("--no-sync") }
        do throws(EmbeddedPostgresError) {
            try privileges.run(command + ["--locale=C.UTF-8"])
        } catch {
            // Not every system has C.UTF-8; plain C always exists.
            try? FileManager.default.removeItem(atPath: partial)
            try privileges.run(command + ["--locale=C"])
        }
        let configuration = "\(partial)/postgresql.conf"
        do {
            let text = try String(contentsOfFile: configuration, encoding: .utf8)
            try Data("\(text)\ninclude 'swiftlet.conf'\n".utf8).write(to: URL(fileURLWithPath: configuration))
            try FileManager.default.moveItem(atPath: partial, toPath: data)
        } catch {
            throw .folderUnusable(folder: folder, reason: error.localizedDescription)
        }
    }

    /// Rewritten at each start, as the socket's folder may have changed.
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
            "\(name) = '\(value.replacingOccurrences(of: "'", with: "''"))'\n"
        }
        do {
            try Data(lines.joined().utf8).write(to: URL(fileURLWithPath: "\(data)/swiftlet.conf"))
        } catch {
            throw .folderUnusable(folder: data, reason: error.localizedDescription)
        }
        try privileges.own("\(data)/swiftlet.conf")
        try privileges.own("\(data)/postgresql.conf")
    }

    /// Ends a server that outlived its owner, and removes a `postmaster.pid` whose process is something else by now.
    ///
    /// PostgreSQL itself refuses to start when the number in the file belongs to any live process, which is common in
    /// containers, where process numbers are small and repeat.
    func stopOrphan(with binaries: ServerBinaries) throws(EmbeddedPostgresError) {
        guard let process = serverProcess else { return }
        if isPostmaster(process) {
            try privileges.run([
                binaries.path("pg_ctl"), "stop", "--silent", "--wait", "--mode=fast", "--pgdata=\(data)",
            ])
        } else {
            try? FileManager.default.removeItem(atPath: "\(data)/postmaster.pid")
        }
    }

    /// The first line of `postmaster.pid`.
    var serverProcess: Int32? {
        guard let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// The fifth line of `postmaster.pid`, while that process is a postmaster here.
    var runningSocketFolder: String? {
        guard let process = serverProcess, isPostmaster(process),
            let text = try? String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 4 && !lines[4].isEmpty ? String(lines[4]) : nil
    }

    /// Where packages keep their data, by the hash of the folder that was asked for.
    static func fallbackFolder(for folder: String) -> String {
        "/var/lib/swiftlet/\(fingerprint(URL(fileURLWithPath: folder).standardizedFileURL.path))"
    }

    var endOfLog: String {
        let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? "nothing"
        return text.split(separator: "\n").suffix(5).joined(separator: " | ")
    }

    func temporaryFolders(_ lifetime: PostgresCluster.Lifetime) -> [String] {
        (lifetime == .throwAway ? [folder] : []) + (socketFolder.hasPrefix(folder) ? [] : [socketFolder])
    }

    private func isPostmaster(_ process: Int32) -> Bool {
        // Linux names the working directory, which for a postmaster is its data folder; elsewhere ask whether it lives.
        if FileManager.default.fileExists(atPath: "/proc/self") {
            let directory = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
            return directory == URL(fileURLWithPath: data).resolvingSymlinksInPath().path
        }
        return kill(process, 0) == 0
    }

    private static func makeFolder(_ path: String, for privileges: Privileges) throws(EmbeddedPostgresError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        } catch {
            throw .folderUnusable(folder: path, reason: error.localizedDescription)
        }
        try privileges.own(path)
    }

    /// FNV-1a over the path: the same clone finds the same data again.
    private static func fingerprint(_ text: String) -> String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }
}
