import Foundation
import SwiftletEssentials
import SwiftletPostgres
import Testing

@testable import SwiftletEmbeddedPostgres

/// Needs installed server programs, not a running server.
@Suite(
    .enabled(if: (try? ServerBinaries.find()) != nil, "install PostgreSQL's server programs"),
    .timeLimit(.minutes(5))
)
struct PostgresClusterTests {
    private let folder = "/tmp/swiftlet-test-\(UUID().uuidString.prefix(8))"

    private func start(
        _ lifetime: PostgresCluster.Lifetime = .durable,
        in folder: String? = nil,
        settings: [String: String] = [:]
    ) throws -> PostgresCluster {
        // Never synchronized: what is tested is not whether the disk keeps its word.
        try PostgresCluster.start(
            in: folder ?? self.folder,
            lifetime: lifetime,
            settings: ["fsync": "off"].merging(settings) { $1 }
        )
    }

    private func postmaster(_ folder: String) throws -> Int32 {
        let text = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
        return try #require(text.split(separator: "\n").first.flatMap { Int32($0) })
    }

    @Test func `keeps its data over a restart, and deletes them when told`() throws {
        let first = try start()
        try BlockingConnection.connect(to: first.url()).execute("CREATE TABLE kept (id integer)")
        first.stop()
        first.stop()
        #expect(throws: BlockingConnectionError.self) { _ = try BlockingConnection.connect(to: first.url()) }

        let second = try start()
        #expect(try BlockingConnection.connect(to: second.url()).query("SELECT * FROM kept") == [])
        #expect(throws: EmbeddedPostgresError.inUse(folder: folder)) { try PostgresCluster.delete(folder) }
        second.stop()
        try PostgresCluster.delete(folder)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func `listens on a socket that others cannot enter, never on TCP, and speaks UTC and UTF-8`() throws {
        let cluster = try start(.throwAway)
        defer { cluster.stop() }
        let connection = try BlockingConnection.connect(to: cluster.url())
        let row = try connection.query(
            """
            SELECT current_setting('listen_addresses'), current_setting('timezone'), current_setting('server_encoding')
            """
        )
        #expect(row == [["", "UTC", "UTF8"]])
        let mode = try FileManager.default.attributesOfItem(atPath: cluster.socketFolder)[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(PostgresCluster.runningURL(in: folder, database: "postgres") == cluster.url())
    }

    @Test func `takes settings, also ones with quotes`() throws {
        let cluster = try start(.throwAway, settings: ["cluster_name": "it's ours", "max_connections": "7"])
        defer { cluster.stop() }
        let row = try BlockingConnection.connect(to: cluster.url()).query(
            "SELECT current_setting('cluster_name'), current_setting('max_connections'), current_setting('fsync')"
        )
        #expect(row == [["it's ours", "7", "off"]])
    }

    @Test func `refuses a folder that is in use`() throws {
        let cluster = try start(.throwAway)
        defer { cluster.stop() }
        #expect(throws: EmbeddedPostgresError.inUse(folder: folder)) { try start() }
    }

    @Test func `leaves nothing of a throw-away cluster`() throws {
        let cluster = try start(.throwAway)
        cluster.stop()
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(PostgresCluster.runningURL(in: folder, database: "postgres") == nil)
    }

    /// Swift Testing waits for the children of exit tests, and trips over dead ones that nobody waits for.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat"), "needs /proc"))
    func `is watched by a process that is not our child`() throws {
        let cluster = try start(.throwAway)
        defer { cluster.stop() }
        let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        let watchdogs = processes.filter { process in
            let text = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
            return text.hasPrefix("/bin/sh") && text.contains("\(folder)/data")
        }
        #expect(watchdogs.count == 1)
        for watchdog in watchdogs {
            let status = try String(contentsOfFile: "/proc/\(watchdog)/status", encoding: .utf8)
            #expect(status.contains("PPid:"))
            #expect(!status.contains("PPid:\t\(getpid())\n"))
        }
    }

    /// pg_ctl takes a folder without PG_VERSION for none of its own.
    @Test(arguments: [PostgresCluster.Lifetime.durable, .throwAway])
    func `is ended by its watchdog when it cannot be stopped`(lifetime: PostgresCluster.Lifetime) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cluster = try start(lifetime)
        let server = try postmaster(folder)
        try FileManager.default.removeItem(atPath: "\(folder)/data/PG_VERSION")
        cluster.stop()
        #expect(try await eventually { kill(server, 0) != 0 })
        guard lifetime == .throwAway else { return }
        #expect(try await eventually { !FileManager.default.fileExists(atPath: folder) })
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/stat"), "needs /proc"))
    func `is not mistaken for another process that has its number by now`() async throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/data", withIntermediateDirectories: true)
        let other = try ChildProcess.start(["/bin/sleep", "60"], keeping: .output)
        defer {
            kill(other.process, SIGKILL)
            _ = ChildProcess.wait(for: other.process)
            try? FileManager.default.removeItem(atPath: folder)
        }
        try Data("\(other.process)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/data/postmaster.pid"))
        // Without its owner from the beginning.
        _ = try Watchdog.start(dataFolder: "\(folder)/data", isThrowAway: true, removing: [folder])
        #expect(try await eventually { !FileManager.default.fileExists(atPath: folder) })
        #expect(kill(other.process, 0) == 0)
    }

    private func eventually(_ condition: () -> Bool) async throws -> Bool {
        for _ in 0..<200 {
            if condition() { return true }
            try await Task.sleep(for: .milliseconds(100))
        }
        return false
    }

    @Test func `works in a folder whose path is too long for a socket`() throws {
        let long = "\(folder)/\(String(repeating: "long-", count: 30))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Others may enter it: when root tests, the server is somebody else.
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let cluster = try start(.throwAway, in: long)
        #expect(try BlockingConnection.connect(to: cluster.url()).query("SELECT 1") == [["1"]])
        cluster.stop()
        #expect(!FileManager.default.fileExists(atPath: cluster.socketFolder))
    }

    @Test func `starts over a pid file whose number belongs to another process by now`() throws {
        let first = try start()
        first.stop()
        // This process is alive and no postmaster: PostgreSQL by itself would refuse to start.
        try Data("\(ProcessInfo.processInfo.processIdentifier)\n\(folder)/data\n".utf8)
            .write(to: URL(fileURLWithPath: "\(folder)/data/postmaster.pid"))
        let second = try start()
        #expect(try BlockingConnection.connect(to: second.url()).query("SELECT 1") == [["1"]])
        second.stop()
        try PostgresCluster.delete(folder)
    }

    @Test func `recovers when the server was killed`() throws {
        let first = try start()
        try BlockingConnection.connect(to: first.url()).execute("CREATE TABLE kept (id integer)")
        kill(try postmaster(folder), SIGKILL)
        first.stop()
        let second = try start()
        #expect(try BlockingConnection.connect(to: second.url()).query("SELECT * FROM kept") == [])
        second.stop()
        try PostgresCluster.delete(folder)
    }

    @Test func `names the version when the data are of one that is not installed`() throws {
        try FileManager.default.createDirectory(atPath: "\(folder)/data", withIntermediateDirectories: true)
        try Data("7\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/data/PG_VERSION"))
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: EmbeddedPostgresError.versionNotInstalled(wanted: "7", folder: folder)) { try start() }
        // What the error suggests.
        try PostgresCluster.delete(folder)
        #expect(!PostgresCluster.exists(in: folder))
    }

    @Test func `leaves a folder of another user as it is`() throws {
        var (taken, owner) = ("/usr/lib", "root")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        if geteuid() == 0 {
            (taken, owner) = (folder, "the user 12345")
            try FileManager.default.createDirectory(atPath: taken, withIntermediateDirectories: true)
            #expect(unsafe chown(taken, 12345, 12345) == 0)
        }
        let before = try FileManager.default.attributesOfItem(atPath: taken) as NSDictionary
        let reason = "it belongs to \(owner). Run as \(owner), or delete it"
        #expect(throws: EmbeddedPostgresError.folderUnusable(folder: taken, reason: reason)) { try start(in: taken) }
        #expect(throws: EmbeddedPostgresError.self) { try PostgresCluster.delete(taken) }
        #expect(try FileManager.default.attributesOfItem(atPath: taken) as NSDictionary == before)
    }

    @Test(arguments: ["\"", "$HOME", "`", "\\", "\n"])
    func `refuses a path that pg_ctl would misread`(special: String) throws {
        let error = try #require(throws: EmbeddedPostgresError.self) { try start(in: "\(folder)\(special)") }
        guard case .folderUnusable(_, let reason) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(reason.contains("its path contains"))
        #expect(!FileManager.default.fileExists(atPath: "\(folder)\(special)"))
    }

    /// An interrupted start leaves its initdb running for a while.
    @Test func `creates a cluster while an earlier initdb still writes to the folder`() throws {
        let leftover = "\(folder)/data.partial"
        try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)
        let writer = try ChildProcess.start(
            ["/bin/sh", "-c", "while :; do mkdir -p \"$1\"; : > \"$1/file\"; done", "sh", leftover],
            keeping: .output
        )
        defer {
            // With its children, and not before they have ended: they would make the folder again.
            kill(-writer.process, SIGKILL)
            _ = try? writer.pipe.readToEnd()
            _ = ChildProcess.wait(for: writer.process)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let (cluster, undisturbed) = (try start(), try start(.throwAway, in: "\(folder)-2"))
        defer { for cluster in [cluster, undisturbed] { cluster.stop() } }
        let locales = try [cluster, undisturbed].map {
            try BlockingConnection.connect(to: $0.url()).query("SELECT DISTINCT datcollate FROM pg_database")
        }
        #expect(locales[0] == locales[1])
    }

    @Test func `tells the end of the log when the server will not start`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let error = try #require(throws: EmbeddedPostgresError.self) {
            try start(settings: ["shared_buffers": "nonsense"])
        }
        guard case .startFailed(_, let output) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(output.contains("shared_buffers"))
    }

    @Test func `tells why pg_ctl failed when nothing was logged, and not what an earlier server logged`() throws {
        let first = try start()
        first.stop()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let log = "\(folder)/postgres.log"
        try FileManager.default.removeItem(atPath: log)
        try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
        let error = try #require(throws: EmbeddedPostgresError.self) { try start() }
        #expect(error.description.contains("postgres.log"))
        guard case .commandFailed = error else {
            Issue.record("another error: \(error)")
            return
        }
    }

    @Test func `says where it searched when no server is installed`() {
        #expect(throws: EmbeddedPostgresError.binariesNotFound(searched: ["/nowhere"])) {
            try ServerBinaries.find(environment: ["PATH": "/nowhere"], roots: [])
        }
    }
}
