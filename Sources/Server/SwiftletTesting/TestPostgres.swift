import Dispatch
import SwiftletEmbeddedPostgres
import Foundation
import SwiftletPostgres
import Synchronization

/// The PostgreSQL server for ``TestDatabase``.
struct TestPostgres: Sendable {
    let url: String
    /// Kept for the life of the process; its watchdog cleans up.
    private let cluster: PostgresCluster?

    static func start() throws -> TestPostgres {
        let named = ProcessInfo.processInfo.environment["SWIFTLET_TEST_DATABASE_URL"] ?? ""
        guard named.isEmpty else {
            _ = try BlockingConnection.connect(to: named)
            atexit { TestPostgres.dropAll() }
            return TestPostgres(url: named, cluster: nil)
        }
        let folder = "/tmp/swiftlet-test-\(UUID().uuidString.prefix(8))"
        let cluster = try PostgresCluster.start(in: folder, lifetime: .throwAway, settings: settings)
        return TestPostgres(url: cluster.url(), cluster: cluster)
    }

    /// Nothing works in the background: hundreds of small databases live for a few seconds each.
    private static let settings = [
        "max_connections": "600", "shared_buffers": "256MB", "autovacuum": "off", "bgwriter_lru_maxpages": "0",
        "checkpoint_timeout": "1h", "max_wal_size": "4GB", "jit": "off", "wal_level": "logical",
        "max_wal_senders": "20", "max_replication_slots": "20",
    ]

    /// A database that others are made of is kept.
    func create(template: String, isKept: Bool = false) throws -> String {
        let name = "swiftlet_test_\(UUID().uuidString.lowercased().replacing("-", with: "").prefix(12))"
        let administrator = try BlockingConnection.connect(to: url)
        try administrator.execute("CREATE DATABASE \(name) TEMPLATE \(template)\(try strategy(administrator))")
        note(name, isKept)
        if let cluster { return cluster.url(database: name) }
        // postgresql://user@host:port/name?parameters: the path is the name.
        guard var parts = URLComponents(string: url) else { return url }
        parts.path = "/\(name)"
        return parts.string ?? url
    }

    /// Copying files takes half the work of copying pages through the log, which is the default since PostgreSQL 15.
    private func strategy(_ connection: borrowing BlockingConnection) throws -> String {
        let version = try connection.query("SHOW server_version_num").first?[0].flatMap { Int($0) } ?? 0
        return version >= 150_000 ? " STRATEGY file_copy" : ""
    }

    func name(of url: String) -> String {
        String(URLComponents(string: url)?.path.dropFirst() ?? "")
    }

    /// A run makes thousands of databases of 13 MB each. The oldest ones go while it lasts, unless somebody is connected.
    private func note(_ name: String, _ isKept: Bool) {
        let oldest = Self.created.withLock { created -> String? in
            guard !isKept else {
                created.kept.append((url, name))
                return nil
            }
            created.passing.append((url, name))
            return created.passing.count > Self.maximumCount ? created.passing.removeFirst().name : nil
        }
        guard let oldest else { return }
        Self.dropping.async {
            do {
                try BlockingConnection.connect(to: url).execute("DROP DATABASE IF EXISTS \(oldest)")
            } catch {
                Self.created.withLock { $0.passing.append((url, oldest)) }
            }
        }
    }

    /// As many as are made in a minute, and more: a test that runs may have stopped all that was connected to its own.
    private static let maximumCount = 300
    private static let dropping = DispatchQueue(label: "swiftlet.test-databases")
    private static let created = Mutex(CreatedDatabases())

    private static func dropAll() {
        for (url, name) in created.withLock({ $0.kept + $0.passing }) {
            guard let administrator = try? BlockingConnection.connect(to: url) else { return }
            try? administrator.execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)")
        }
    }
}

private struct CreatedDatabases {
    var kept: [(url: String, name: String)] = []
    var passing: [(url: String, name: String)] = []
}
