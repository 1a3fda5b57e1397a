import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletBackups

@Suite(.hangLimit) struct PruningTests {
    private static func ids(_ times: [String]) throws -> [SnapshotID] {
        try times.map { try #require(SnapshotID("\($0)-00000000")) }
    }

    @Test(arguments: [
        (Retention(days: 0, weeks: 0, months: 0), ["20261127T030000Z"]),
        (Retention(days: 2, weeks: 0, months: 0), ["20261126T030000Z", "20261127T030000Z"]),
        // 22 November is a Sunday, 23 a Monday.
        (Retention(days: 0, weeks: 2, months: 0), ["20261122T030000Z", "20261127T030000Z"]),
        (Retention(days: 0, weeks: 0, months: 3), ["20260930T030000Z", "20261031T030000Z", "20261127T030000Z"]),
        (
            Retention(days: 2, weeks: 2, months: 2),
            ["20261031T030000Z", "20261122T030000Z", "20261126T030000Z", "20261127T030000Z"]
        ),
    ])
    func `keeps the last of each day, week and month`(retention: Retention, kept: [String]) throws {
        let ids = try Self.ids([
            "20260930T030000Z", "20261030T030000Z", "20261031T030000Z", "20261121T030000Z", "20261122T030000Z",
            "20261123T030000Z", "20261126T010000Z", "20261126T030000Z", "20261127T010000Z", "20261127T030000Z",
        ])
        #expect(try retention.kept(of: ids.shuffled()) == Set(Self.ids(kept)))
        #expect(retention.kept(of: []) == [])
    }

    @Test(arguments: ["", "7", "d", "7x", "7d,7d", "-1d", "7d,", "99999999999999999999d"])
    func `refuses what is no retention`(text: String) { #expect(Retention(text) == nil) }

    @Test func `reads a retention in parts`() {
        #expect(Retention("7d,4w,6m") == .standard)
        #expect(Retention("3w") == Retention(days: 0, weeks: 3, months: 0))
    }

    @Test(.needsDatabase) func `removes contents that no backup names, and no other`() async throws {
        let site = try BackupSite()
        try await site.add("kept", "kept content")
        try await site.add("gone", "gone content")
        _ = try await site.creation.run()
        try site.execute("DELETE FROM storage.objects WHERE name = 'gone'")
        let second = try await site.creation.run()
        let pruning = BackupPruning(site.target, of: site.url)
        let none = Retention(days: 0, weeks: 0, months: 0)
        let expected = try await pruning.run(none, isDryRun: true)
        #expect((expected.removed.count, expected.contents, expected.bytes) == (1, 1, 12))
        #expect(try await site.target.snapshots().count == 2)
        #expect(try await pruning.run(none) == expected)
        #expect(try await site.target.snapshots().map(\.text) == [second.id])
        _ = try await BackupVerification(site.target).run(site.target.snapshot(named: nil))
        #expect(try site.targetFiles().count == 6)
    }

    @Test(.needsDatabase) func `removes nothing while a list cannot be read`() async throws {
        let site = try BackupSite()
        try await site.add("a", "a")
        let manifest = try await site.creation.run()
        let path = "\(site.targetFolder)/snapshots/\(manifest.id)/files.tsv"
        try Data().write(to: URL(fileURLWithPath: path))
        let before = try site.targetFiles()
        await #expect(throws: BackupError.self) { try await BackupPruning(site.target, of: site.url).run(.standard) }
        #expect(try site.targetFiles() == before)
    }
}
