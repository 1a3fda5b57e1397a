import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

@testable import SwiftletServer

/// Backups as operators make them.
@Suite(.needsDatabase, .hangLimit) final class BackupServerTests: Sendable {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var environment: [String: String] {
        ["DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "BACKUP_TO": "./backups", "APPS": "none"]
    }

    private func metric(_ port: Int) throws -> String? {
        let client = try SocketClient(port: port)
        try client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let text = try client.reply().body
        return text.firstMatch(of: /\nswiftlet_backup_age_seconds (\S+)/).map { String($0.1) }
    }

    @Test func `a server makes them by a job, and says how old the newest is`() async throws {
        let (process, port) = try await SwiftletProcess.serveReady(
            in: folder,
            environment.merging(["HOST": "127.0.0.1", "LOG_FORMAT": "json"]) { $1 }
        )
        let isKnown = try await eventually {
            try await blocking { Result { try self.metric(port) } }.get() == "+Inf"
        }
        #expect(isKnown)
        let ticks = try BlockingConnection.connect(to: url).query(
            "SELECT recurrence FROM swiftlet.job_ticks WHERE name = 'swiftlet-backup'"
        )
        #expect(ticks == [["86400+10800"]])
        try BlockingConnection.connect(to: url).execute(
            "INSERT INTO swiftlet.jobs (name) VALUES ('swiftlet-backup'); NOTIFY swiftlet_jobs"
        )
        let isMade = try await eventually(within: .seconds(60)) {
            let age = try await blocking { Result { try self.metric(port) } }.get()
            return age.flatMap { Int($0) } != nil
        }
        #expect(isMade)
        let listed = try await SwiftletProcess.run(["backup", "list"], in: folder, environment)
        #expect(listed.output.split(separator: "\n").count == 2)
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `doctor says when the newest is old, or there is none`() async throws {
        let settings = { (environment: [String: String]) async throws -> [Finding] in
            let configuration = try Configuration(Environment(environment), mode: .serve)
            return await BackupExamination(configuration.backups, configuration.database).findings()
        }
        var environment = environment
        environment["BACKUP_TO"] = "\(folder)/backups"
        #expect(try await settings(environment).map(\.grade) == [.note, .good])
        let made = try await SwiftletProcess.run(["backup", "create"], in: folder, environment)
        #expect(made.status == 0, "\(made.errors)")
        let findings = try await settings(environment)
        #expect(findings.map(\.grade) == [.good, .good])
        let snapshots = "\(folder)/backups/snapshots"
        let name = try #require(FileManager.default.contentsOfDirectory(atPath: snapshots).first)
        try FileManager.default.moveItem(
            atPath: "\(snapshots)/\(name)",
            toPath: "\(snapshots)/20260101T000000Z-00000000"
        )
        let old = try await settings(environment)
        #expect(old.map(\.grade) == [.fault, .good])
        #expect(old.first?.text.contains("hours old") == true)
        try FileManager.default.moveItem(
            atPath: "\(snapshots)/20260101T000000Z-00000000",
            toPath: "\(snapshots)/20990101T000000Z-00000000"
        )
        let ahead = try await settings(environment)
        #expect(ahead.map(\.grade) == [.fault, .good])
        #expect(ahead.first?.text.contains("in the future") == true)
        environment["BACKUP_TO"] = nil
        #expect(try await settings(environment).map(\.grade) == [.note])
    }

    @Test(arguments: [
        (["BACKUP_TO": "ftp://host/x"], "BACKUP_TO must be"), (["BACKUP_TO": "s3://UPPER"], "BACKUP_TO must be"),
        (["BACKUP_TO": "s3://bucket/../x"], "BACKUP_TO must be"),
        (["BACKUP_TO": "s3://bucket"], "BACKUP_S3_ACCESS_KEY is missing"),
        (["BACKUP_TO": "./storage/backups"], "BACKUP_TO is in STORAGE_PATH"),
        (["BACKUP_TO": "./storage"], "BACKUP_TO is in STORAGE_PATH"),
        (["BACKUP_DAILY_AT": "24:00"], "BACKUP_DAILY_AT must be"), (["BACKUP_KEEP": "some"], "BACKUP_KEEP must be"),
        (
            [
                "BACKUP_TO": "s3://files/x", "S3_BUCKET": "files", "S3_ACCESS_KEY": "a", "S3_SECRET_KEY": "b",
                "BACKUP_S3_ACCESS_KEY": "c", "BACKUP_S3_SECRET_KEY": "d",
            ],
            "BACKUP_TO is in S3_BUCKET"
        ),
    ])
    func `refuses settings that make no backup`(more: [String: String], fault: String) throws {
        let error = try #require(throws: ConfigurationError.self) {
            try Configuration(Environment(environment.merging(more) { $1 }), mode: .serve)
        }
        #expect(error.faults.contains { $0.hasPrefix(fault) }, "\(error.faults)")
    }

    @Test func `verify fails for rows without a file, unless it is told`() async throws {
        try BlockingConnection.connect(to: url).execute(
            """
            INSERT INTO storage.buckets (id, name) VALUES ('b', 'b');
            INSERT INTO storage.objects (bucket_id, name, version)
            VALUES ('b', 'lost', 's1.00000000000000000000000000000000')
            """
        )
        let refused = try await SwiftletProcess.run(["backup", "create"], in: folder, environment)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("is its disk mounted?"))
        try FileManager.default.createDirectory(atPath: "\(folder)/storage/t-1", withIntermediateDirectories: true)
        let made = try await SwiftletProcess.run(["backup", "create"], in: folder, environment)
        #expect(made.status == 0, "\(made.errors)")
        let verified = try await SwiftletProcess.run(["backup", "verify"], in: folder, environment)
        #expect(verified.status == 1)
        #expect(verified.errors.contains("1 rows had no file"))
        let allowed = try await SwiftletProcess.run(["backup", "verify", "--allow-missing"], in: folder, environment)
        #expect(allowed.status == 0, "\(allowed.errors)")
    }

    @Test func `restores into no database that somebody uses`() async throws {
        let made = try await SwiftletProcess.run(["backup", "create"], in: folder, environment)
        #expect(made.status == 0, "\(made.errors)")
        let result = try await SwiftletProcess.run(["backup", "restore"], in: folder, environment)
        #expect(result.status == 1)
        #expect(result.errors.contains("the database is not empty"))
        var other = environment
        other["DATABASE_URL"] = try TestDatabase.createEmpty()
        let restored = try await SwiftletProcess.run(["backup", "restore"], in: folder, other)
        #expect(restored.status == 0, "\(restored.errors)")
        let again = try await SwiftletProcess.run(["migrate", "up"], in: folder, other)
        #expect(again.output.contains("nothing to apply"))
    }
}
