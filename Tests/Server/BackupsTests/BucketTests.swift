import Foundation
import SwiftletAuth
import SwiftletFiles
import SwiftletJSON
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletBackups

/// Against moto, which checks each signature.
@Suite(
    .needsDatabase,
    .enabled(if: Python.hasPackages, "no moto: run .ci/setup test with a package index in reach"),
    .hangLimit
)
struct BucketTests {
    @Test func `a bucket out of reach has no backup, and holds nobody up`() async throws {
        let settings = S3Settings(
            endpoint: "http://127.0.0.1:\(try #require(unassignedPort()))",
            bucket: "backups",
            region: "eu-central-1",
            accessKey: "a",
            secretKey: Secret("b")
        )
        let site = try BackupSite()
        try await site.add("a", "some content")
        await #expect(throws: StorageError.self) {
            _ = try await BackupCreation(site.source, to: BackupTarget(bucket: settings, prefix: nil), version: "")
                .run()
        }
        #expect(try await site.creation.run().newFiles == 1)
    }

    /// It goes while the files are copied.
    @Test func `a target that goes meanwhile has no backup`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        var creation = site.creation
        let folder = site.targetFolder
        creation.onStep = { step in
            guard step == .filesCopied else { return }
            // As a disk that is full or gone refuses what comes next.
            try FileManager.default.removeItem(atPath: folder)
            try Data().write(to: URL(fileURLWithPath: folder))
        }
        await #expect(throws: StorageError.self) { _ = try await creation.run() }
        try FileManager.default.removeItem(atPath: folder)
        #expect(try await site.creation.run().newFiles == 1)
    }

    @Test func `keeps backups below a prefix of a bucket, of files in another part of it`() async throws {
        let server = try await blocking { Result { try PythonServer.start("s3_server.py") } }.get()
        let text: (String) throws -> String = { try #require(server.announcement[$0]?.string) }
        let settings = S3Settings(
            endpoint: try text("endpoint"),
            bucket: try text("bucket"),
            region: "eu-central-1",
            accessKey: try text("access"),
            secretKey: Secret(try text("secret"))
        )
        let site = try BackupSite()
        let target = BackupTarget(bucket: settings, prefix: "deep/backups")
        let large = String(repeating: "0123456789", count: 600_000)
        let version = try await site.add("large", large)
        try await site.put("a letter", at: "t-1/letters/1")
        let creation = BackupCreation(site.source, to: target, version: "test")
        let first = try await creation.run()
        #expect((first.files, first.newFiles) == (2, 2))
        let id = try await target.snapshot(named: nil)
        _ = try await BackupVerification(target).run(id)
        try await TrialRestoration(target).run(id)
        #expect(try await creation.run().newFiles == 0)

        // Files of rows, and those of functions, come back to a bucket and are backed up from there.
        let url = try TestDatabase.createEmpty()
        let store = ObjectStorage(S3Bucket(settings))
        #expect(try await BackupRestoration(target, into: url, store).run(id).newFiles == 2)
        #expect(try await BackupSite.text(store.get("t-1/letters/1")) == "a letter")
        #expect(try await BackupSite.text(store.get(#require(version.key))) == large)
        let removed = try await BackupPruning(target, of: site.url).run(Retention(days: 0, weeks: 0, months: 0))
        #expect(removed == BackupPruning.Outcome(removed: [id]))
        for id in try await target.snapshots() { _ = try await BackupVerification(target).run(id) }
    }
}
