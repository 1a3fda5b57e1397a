import Foundation
import SwiftletFiles
import SwiftletStorage
import SwiftletTesting
import Testing

@testable import SwiftletBackups

/// What is left of a backup that is broken off.
@Suite(.needsDatabase, .hangLimit) struct InterruptionTests {
    /// In a process of its own, which ends itself as SIGKILL ends a server.
    @Test(arguments: BackupStep.allCases)
    func `killed behind a step, leaves a whole backup or none`(step: BackupStep) async throws {
        let site = try BackupSite()
        try await site.add("old", "an old content")
        let first = try await site.creation.run()
        try await site.add("new", "a new content")
        let (url, folder) = (site.url, site.folder)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [step = step as BackupStep, url = url as String, folder = folder as String] in
            var creation = BackupSite.creation(of: url, in: folder)
            creation.onStep = { if $0 == step { kill(getpid(), SIGKILL) } }
            _ = try await creation.run()
        }
        let ids = try await site.target.snapshots()
        #expect(ids.count == (step == .finished ? 2 : 1))
        #expect(ids.first?.text == first.id)
        for id in ids { _ = try await BackupVerification(site.target).run(id) }
        // The lock has gone with the process, and the next one is whole.
        let next = try await site.creation.run()
        #expect((next.files, next.missing) == (2, 0))
        _ = try await BackupVerification(site.target).run(site.target.snapshot(named: next.id))
        // What was left is gone with the old ones.
        let outcome = try await BackupPruning(site.target, of: site.url).run(Retention(days: 0, weeks: 0, months: 0))
        #expect(outcome.removed.count == ids.count)
        let left = try site.targetFiles()
        #expect(left.filter { $0.hasPrefix("snapshots/") }.allSatisfy { $0.contains(next.id) })
        #expect(left.filter { $0.hasPrefix("files/") }.count == 2)
    }

    @Test func `a backup whose dump fails is none`() async throws {
        let site = try BackupSite()
        // What pg_dump may not read.
        let role = "reader_\(UUID().uuidString.prefix(8).lowercased())"
        try site.execute(
            "CREATE ROLE \(role) LOGIN; GRANT USAGE ON SCHEMA storage TO \(role); GRANT SELECT ON storage.objects TO \(role); ALTER ROLE \(role) BYPASSRLS"
        )
        let url = site.url.replacing("user=postgres", with: "user=\(role)")
        try #require(url != site.url)
        let creation = BackupSite.creation(of: url, in: site.folder)
        let error = try await #require(throws: BackupError.self) { _ = try await creation.run() }
        guard case .programFailed(let name, _, let output) = error else {
            Issue.record("another error: \(error)")
            return
        }
        #expect(name == "pg_dump")
        #expect(output.contains("permission denied"))
        #expect(try await site.target.snapshots() == [])
        // Others may go on at once.
        _ = try await site.creation.run()
        try site.execute("DROP OWNED BY \(role); DROP ROLE \(role)")
    }

    @Test func `one that is cancelled is none, and ends its program`() async throws {
        let site = try BackupSite()
        let task = Task {
            var creation = site.creation
            creation.onStep = { step in
                if step == .rowsDumped { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            }
            _ = try await creation.run()
        }
        try await site.add("a", "a")
        await #expect(throws: (any Error).self) { try await task.value }
        _ = try await site.creation.run()
    }

    @Test func `of two at once, one is made`() async throws {
        let site = try BackupSite()
        var first = site.creation
        first.onStep = { step in
            guard step == .snapshotTaken else { return }
            await #expect(throws: BackupError.busy) { _ = try await site.creation.run() }
            await #expect(throws: BackupError.busy) {
                _ = try await BackupPruning(site.target, of: site.url).run(.standard)
            }
        }
        _ = try await first.run()
        #expect(try await site.target.snapshots().count == 1)
    }

    /// Files and rows that come, go and change while it is made.
    @Test func `is of one moment, whatever changes meanwhile`() async throws {
        let site = try BackupSite()
        let old = try await site.add("replaced", "before")
        try await site.add("deleted", "gone later")
        var creation = site.creation
        creation.onStep = { step in
            guard step == .snapshotTaken else { return }
            try await site.add("replaced", "after")
            try await site.add("added", "later")
            try site.execute("DELETE FROM storage.objects WHERE name = 'deleted'")
        }
        let manifest = try await creation.run()
        #expect((manifest.objects, manifest.files, manifest.missing) == (2, 2, 0))
        let id = try await site.target.snapshot(named: nil)
        try await TrialRestoration(site.target).run(id)
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        _ = try await BackupRestoration(site.target, into: TestDatabase.createEmpty(), store).run(id)
        let key = try #require(old.key)
        #expect(try await BackupSite.text(store.get(key)) == "before")
    }

    @Test func `says what rows name and the storage does not have`() async throws {
        let site = try BackupSite()
        let lost = try await site.add("lost", "a")
        try await site.store.delete(#require(lost.key))
        // A row whose digest somebody has written himself.
        try await site.add("other", "content", sha256: BackupSite.digest("another"))
        try await site.add("odd", "content 2", sha256: "../../etc/passwd")
        let manifest = try await site.creation.run()
        #expect((manifest.files, manifest.missing, manifest.differing) == (3, 1, 2))
        let id = try await site.target.snapshot(named: nil)
        _ = try await BackupVerification(site.target).run(id)
        try await TrialRestoration(site.target).run(id)
    }
}
