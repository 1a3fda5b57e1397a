import Foundation
import SwiftletAuth
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
        let site = try BackupSite(store: ObjectStorage(S3Bucket(settings)))
        let target = BackupTarget(bucket: settings, prefix: "deep/backups")
        try await site.add("a", "some content")
        try await site.put("a letter", at: "t-1/letters/1")
        let creation = BackupCreation(site.source, to: target, version: "test")
        let first = try await creation.run()
        #expect((first.files, first.newFiles) == (2, 2))
        let id = try await target.snapshot(named: nil)
        _ = try await BackupVerification(target).run(id)
        try await TrialRestoration(target).run(id)
        try site.execute("DELETE FROM storage.objects")
        try await site.store.delete("t-1/letters/1")
        let second = try await creation.run()
        // Those of the backup itself are in the same bucket.
        #expect(second.objects == 0)
        let url = try TestDatabase.createEmpty()
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        #expect(try await BackupRestoration(target, into: url, store).run(id).newFiles == 2)
        #expect(try await BackupSite.text(store.get("t-1/letters/1")) == "a letter")
    }
}
