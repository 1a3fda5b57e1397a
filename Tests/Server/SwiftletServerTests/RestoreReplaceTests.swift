import Foundation
import SwiftletPostgres
import SwiftletTesting
import Testing

/// `backup restore --replace`. Programs of PostgreSQL are started, which takes seconds.
@Suite(.needsDatabase, .hangLimit) final class RestoreReplaceTests: Sendable {
    private let folder: String
    private let url: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        url = try TestDatabase.create()
        try BlockingConnection.connect(to: url).execute("CREATE TABLE kept (id integer); INSERT INTO kept VALUES (1)")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func backup(_ arguments: [String], status: Int32 = 0) async throws -> String {
        let result = try await SwiftletProcess.run(
            ["backup"] + arguments + ["--place", "\(folder)/backups"],
            in: folder,
            ["DATABASE_URL": url, "JWT_SECRET": TestApplication.secret, "APPS": "none"]
        )
        #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        return result.output + result.errors
    }

    private func count() throws -> [[String?]] {
        try BlockingConnection.connect(to: url).query("SELECT count(*) FROM kept")
    }

    @Test func `keeps what was there under another name`() async throws {
        _ = try await backup(["create"])
        try BlockingConnection.connect(to: url).execute("INSERT INTO kept VALUES (2)")
        #expect(try await backup(["restore"], status: 1).contains("not empty"))
        do {
            // Whoever uses it is named.
            let user = try BlockingConnection.connect(to: url)
            #expect(try await backup(["restore", "--replace"], status: 1).contains("in use (swiftlet)"))
            _ = consume user
        }
        #expect(try count() == [["2"]])
        let text = try await backup(["restore", "--replace"])
        let former = try #require(text.firstMatch(of: /is the database (\S+):/)).1
        #expect(try count() == [["1"]])
        let old = url + (url.contains("?") ? "&" : "?") + "dbname=\(former)"
        #expect(try BlockingConnection.connect(to: old).query("SELECT count(*) FROM kept") == [["2"]])
        // What cannot be restored changes nothing.
        for file in FileManager.default.enumerator(atPath: "\(folder)/backups")?.compactMap({ $0 as? String }) ?? []
        where file.hasSuffix("database.dump") {
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(folder)/backups/\(file)"))
        }
        _ = try await backup(["restore", "--replace"], status: 1)
        #expect(try count() == [["1"]])
        try BlockingConnection.connect(to: url).execute("DROP DATABASE \"\(former)\"")
    }
}

/// `backup pitr`: what it writes is what pgBackRest reads, and what PostgreSQL is told.
@Suite(.needsDatabase, .hangLimit) final class PointInTimeCommandTests: Sendable {
    private let folder: String

    init() throws { folder = try SwiftletProcess.makeFolder() }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `writes a file for this server, and says what is to be set`() async throws {
        let url = try TestDatabase.create()
        let output = "\(folder)/pgbackrest.conf"
        let arguments = ["backup", "pitr", "--output", output, "--repository"]
        let result = try await SwiftletProcess.run(
            arguments + ["\(folder)/repository", "--keep", "3"],
            in: folder,
            ["DATABASE_URL": url]
        )
        #expect(result.status == 0, "\(result.errors)")
        let text = try String(contentsOfFile: output, encoding: .utf8)
        let data = try BlockingConnection.connect(to: url).query("SHOW data_directory").first?[0] ?? ""
        #expect(text.hasPrefix("[global]\nrepo1-path=\(folder)/repository\nrepo1-retention-full=3\n"))
        #expect(text.contains("\n[swiftlet]\npg1-path=\(data)\n"))
        #expect(result.output.contains("ALTER SYSTEM SET archive_mode = 'on'; -- and a restart"))
        #expect(
            result.output.contains(
                "archive_command = 'pgbackrest --config=\(output) --stanza=swiftlet archive-push %p'"
            )
        )
        let mode = try FileManager.default.attributesOfItem(atPath: output)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)

        let keyless = try await SwiftletProcess.run(arguments + ["s3://log"], in: folder, ["DATABASE_URL": url])
        #expect(keyless.status == 78 && keyless.errors.contains("BACKUP_S3_ACCESS_KEY"))
        let keys = ["BACKUP_S3_ACCESS_KEY": "id", "BACKUP_S3_SECRET_KEY": "hidden", "DATABASE_URL": url]
        let bucket = try await SwiftletProcess.run(arguments + ["s3://log/a"], in: folder, keys)
        #expect(bucket.status == 0 && !bucket.output.contains("hidden"))
        let plain = keys.merging(["BACKUP_S3_ENDPOINT": "http://s3.local"]) { $1 }
        let refused = try await SwiftletProcess.run(arguments + ["s3://log/a"], in: folder, plain)
        #expect(refused.status == 78 && refused.errors.contains("https only"))
        let stored = try String(contentsOfFile: output, encoding: .utf8)
        #expect(stored.contains("repo1-s3-bucket=log\nrepo1-s3-endpoint=s3.us-east-1.amazonaws.com\n"))
    }
}
