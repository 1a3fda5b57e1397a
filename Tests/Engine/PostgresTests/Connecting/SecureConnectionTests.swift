import SwiftletEmbeddedPostgres
import SwiftletEventLoop
import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletPostgres

@Suite(.needsDatabase, .serialized, .hangLimit)
struct SecureConnectionTests {
    /// A server on a port of this machine that lets users in over TLS only, by SCRAM.
    private final class SecureServer {
        let cluster: PostgresCluster
        let port: Int
        let certificate: String

        init() throws {
            // Below those that the kernel gives to clients, of which other tests leave thousands behind for a minute.
            port = Int.random(in: 20_000..<32_000)
            cluster = try PostgresCluster.start(
                in: "/tmp/swiftlet-tls-\(UUID().uuidString.prefix(8))",
                lifetime: .throwAway,
                settings: ["listen_addresses": "127.0.0.1", "port": "\(port)", "max_connections": "40"]
            )
            let data = "\(cluster.folder)/data"
            certificate = "\(cluster.folder)/server.crt"
            let key = "\(data)/server.key"
            try Self.run([
                "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
            ])
            let files = FileManager.default
            let owner = try files.attributesOfItem(atPath: data)[.ownerAccountID] as Any
            try files.setAttributes([.ownerAccountID: owner, .posixPermissions: 0o600], ofItemAtPath: key)
            try files.setAttributes([.ownerAccountID: owner, .posixPermissions: 0o644], ofItemAtPath: certificate)
            try Data("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n".utf8)
                .write(to: URL(fileURLWithPath: "\(data)/pg_hba.conf"))
            try files.setAttributes([.ownerAccountID: owner], ofItemAtPath: "\(data)/pg_hba.conf")
            let administrator = try BlockingConnection.connect(to: "\(cluster.url())&port=\(port)")
            try administrator.execute(
                "SET password_encryption = 'scram-sha-256'; CREATE ROLE app LOGIN PASSWORD 's3cret'"
            )
            for (name, value) in [("ssl_cert_file", certificate), ("ssl_key_file", key), ("ssl", "on")] {
                try administrator.execute("ALTER SYSTEM SET \(name) = '\(value)'")
            }
            try administrator.execute("SELECT pg_reload_conf()")
        }

        deinit { cluster.stop() }

        func url(password: String = "s3cret", mode: String = "verify-full") -> String {
            "postgresql://app:\(password)@localhost:\(port)/postgres?sslmode=\(mode)&sslrootcert=\(certificate)"
        }

        private static func run(_ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
        }
    }

    @Test func `connects over TLS with SCRAM by host name, and receives large results`() async throws {
        let server = try SecureServer()
        try await TestPool.with(url: server.url()) { pool async throws in
            #expect(try await eventually { await pool.database.ping() })
            let rows = try await pool.database.query(
                "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            )
            #expect(rows.first?["ssl"] == "t")
            let database = pool.database
            let big = Statement("SELECT repeat($1, $2::int)", isReadOnly: true)
            let loop = pool.loop
            let wrong = await withTaskGroup(of: Int.self) { group in
                for index in 0..<64 {
                    group.addTask(executorPreference: loop) {
                        let count = 100 + index * 3001
                        let rows = try? await database.query(big, .texts("abc", "\(count)"))
                        return rows?.cell(0, 0).count == 3 * count ? 0 : 1
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(wrong == 0)
        }
    }

    @Test func `a wrong password and an unencrypted connection are refused, and the password is told to nobody`()
        async throws
    {
        let server = try SecureServer()
        for url in [server.url(password: "wr0ng"), server.url(mode: "disable")] {
            try await TestPool.with(url: url, configure: { $0.outageGrace = .milliseconds(500) }) { pool async throws in
                let error = try await #require(throws: PostgresError.self) { try await pool.database.query("SELECT 1") }
                #expect(error.kind == .connectionFailure)
                let told = "\(pool.events.all) \(error.debugDescription) \(pool.database.configuration)"
                #expect(told.contains("connectionFailed"))
                #expect(!told.contains("wr0ng"))
                #expect(!told.contains("s3cret"))
                var dumped = ""
                dump(pool.database.configuration, to: &dumped)
                #expect(!dumped.contains("wr0ng"))
                #expect(!dumped.contains("s3cret"))
            }
        }
    }

    /// A command that waits for a database to come up would wait for nothing.
    @Test func `a wrong password is no outage, a missing server is one`() throws {
        let server = try SecureServer()
        for (url, isOutage) in [
            (server.url(password: "wr0ng"), false), ("postgresql://app@localhost:\(server.port)/postgres", false),
            ("postgresql://app:s3cret@localhost:1/postgres", true),
        ] {
            do throws(BlockingConnectionError) {
                _ = try BlockingConnection.connect(to: url)
                Issue.record("connected to \(url)")
            } catch {
                #expect(error.isOutage == isOutage, "\(error)")
            }
        }
    }

    @Test func `an unknown host name is a failure, not a hang`() async throws {
        try await TestPool.with(
            url: "postgresql://nobody@no-such-host.invalid/x",
            configure: { $0.outageGrace = .milliseconds(100) }
        ) { pool async throws in
            let stopwatch = Stopwatch()
            let error = try await #require(throws: PostgresError.self) { try await pool.database.query("SELECT 1") }
            #expect(error.kind == .connectionFailure)
            #expect(stopwatch.elapsed < .seconds(4))
        }
    }
}
