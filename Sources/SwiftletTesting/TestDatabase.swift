import EmbeddedPostgres
import Foundation
import Postgres
import Synchronization

/// A PostgreSQL for tests: the server that SWIFTLET_TEST_DATABASE_URL names, else a throw-away one of our own.
///
/// The own server is started on first use, once per test process, and ends with the process, however that ends.
package enum TestDatabase {
    /// A superuser's URL of the server; nil when there is no server and none can be started, see ``reason``.
    package static let url: String? = try? server.get().url

    /// Why ``url`` is nil, for the skip message of a suite.
    package static var reason: String {
        switch server {
        case .success: "a database is there"
        case .failure(let error): "set SWIFTLET_TEST_DATABASE_URL: \(error)"
        }
    }

    /// A fresh database without tables, and its URL. It goes with the throw-away server.
    package static func createEmpty() throws -> String { try create(template: "template0") }

    package static func create(template: String) throws -> String {
        let server = try server.get()
        let name = "test_\(UUID().uuidString.lowercased().prefix(13).replacing("-", with: "_"))"
        let administrator = try BlockingConnection.connect(to: server.url)
        try administrator.execute("CREATE DATABASE \(name) TEMPLATE \(template)")
        return server.url(database: name)
    }

    private static let server: Result<TestServer, any Error> = Result { try TestServer.start() }
}

/// Where the test databases are made.
private struct TestServer: Sendable {
    let url: String
    /// Held for the life of the process; its watchdog cleans up.
    let cluster: PostgresCluster?

    static func start() throws -> TestServer {
        if let url = ProcessInfo.processInfo.environment["SWIFTLET_TEST_DATABASE_URL"], !url.isEmpty {
            _ = try BlockingConnection.connect(to: url)
            return TestServer(url: url, cluster: nil)
        }
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "swiftlet-test-\(UUID().uuidString.prefix(8))"
        )
        let cluster = try PostgresCluster.start(
            in: folder.path,
            lifetime: .throwAway,
            settings: ["max_connections": "200"]
        )
        return TestServer(url: cluster.url(), cluster: cluster)
    }

    func url(database: String) -> String {
        if let cluster { return cluster.url(database: database) }
        // postgresql://user@host:port/name?words: the name is the path's only segment.
        guard var parts = URLComponents(string: url) else { return url }
        parts.path = "/\(database)"
        return parts.string ?? url
    }
}
