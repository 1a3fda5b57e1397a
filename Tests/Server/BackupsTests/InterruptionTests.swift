import Foundation
import SwiftletFiles
import SwiftletPostgres
import SwiftletStorage
import SwiftletTesting
import SwiftletWeb
import Synchronization
import Testing

@testable import SwiftletBackups

/// The end of what goes on all the while.
private final class End: Sendable {
    private let hasCome = Atomic(false)

    var isThere: Bool { hasCome.load(ordering: .relaxed) }

    func come() { hasCome.store(true, ordering: .relaxed) }
}

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

    /// At each step of it, and at once afterwards.
    @Test func `a purge while a backup runs removes nothing of it`() async throws {
        let site = try BackupSite()
        try await site.add("replaced", "before")
        try await site.add("deleted", "gone later")
        let application = try await TestApplication.start([], databaseURL: site.url)
        let purge = FilePurge(storage: site.store, after: .zero)
        @Sendable func run() async throws -> Int {
            try await purge.run(
                application.application.backgroundContext(BackgroundWork(name: "purge", requestID: "-"))
            )
        }
        let removed = Mutex<[Int]>([])
        var creation = site.creation
        creation.onStep = { step in
            if step == .snapshotTaken {
                try await site.add("replaced", "after")
                try site.execute("DELETE FROM storage.objects WHERE name = 'deleted'")
            }
            guard step != .finished else { return }
            let count = try await run()
            removed.withLock { $0.append(count) }
        }
        let manifest = try await creation.run()
        let counts = removed.withLock(\.self)
        #expect(counts.count >= 3 && counts.allSatisfy { $0 == 0 }, "\(counts)")
        #expect((manifest.files, manifest.missing) == (2, 0))
        _ = try await BackupVerification(site.target).run(site.target.snapshot(named: nil))
        #expect(try await run() == 2)
        await application.stop()
    }

    /// Rows and files that come and go all the while.
    @Test func `made under load, each of its rows finds its file`() async throws {
        let site = try BackupSite()
        for number in 0..<50 { try await site.add("before \(number)", "content \(number)") }
        let end = End()
        try await withThrowingTaskGroup { group in
            for writer in 0..<2 {
                group.addTask {
                    var number = 0
                    while !end.isThere {
                        number += 1
                        try await site.add("\(writer) \(number % 20)", "content \(writer) \(number)")
                        try site.execute("DELETE FROM storage.objects WHERE name = '\(writer) \((number + 7) % 20)'")
                    }
                }
            }
            for _ in 0..<3 { _ = try await site.creation.run() }
            end.come()
            try await group.waitForAll()
        }
        for id in try await site.target.snapshots() {
            let manifest = try await BackupVerification(site.target).run(id)
            #expect((manifest.missing, manifest.files) == (0, manifest.objects))
        }
        let id = try await site.target.snapshot(named: nil)
        let url = try TestDatabase.createEmpty()
        let store = ObjectStorage(LocalFolder(path: "\(site.folder)/restored"))
        let restored = try await BackupRestoration(site.target, into: url, store).run(id)
        let report = try await StorageCheck(BackupSource(databaseURL: url, storage: store)).run(isDeep: true)
        #expect(report == StorageCheck.Report(rows: restored.manifest.objects))
    }

    /// It says nothing, and nobody reads it to its end.
    @Test func `a dump that waits for a table ends when it is cancelled`() async throws {
        let site = try BackupSite()
        try site.execute("CREATE TABLE public.held (id integer)")
        let url = site.url
        let holder = try BlockingConnection.connect(to: url)
        try holder.execute("BEGIN; LOCK TABLE public.held")
        let task = Task { _ = try await site.creation.run() }
        let isWaiting = try await eventually {
            let rows = try BlockingConnection.connect(to: url).query(
                "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'public.held'::regclass"
            )
            return rows == [["1"]]
        }
        #expect(isWaiting)
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        try holder.execute("ROLLBACK")
        _ = try await site.creation.run()
        #expect(try await site.target.snapshots().count == 1)
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
