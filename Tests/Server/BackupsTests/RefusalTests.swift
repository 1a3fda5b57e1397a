import Foundation
import SwiftletTesting
import Testing

@testable import SwiftletBackups

/// Backups that would do harm to those before them.
@Suite(.needsDatabase, .hangLimit) struct RefusalTests {
    @Test func `a storage that is not mounted is not backed up`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let path = "\(site.folder)/store"
        try FileManager.default.moveItem(atPath: path, toPath: "\(path)-away")
        await #expect(throws: BackupError.self) { _ = try await site.creation.run() }
        // The place where it would be.
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        await #expect(throws: BackupError.self) { _ = try await site.creation.run() }
        #expect(try await site.target.snapshots().count == 1)
    }

    @Test func `none is made behind one of the future`() async throws {
        let site = try BackupSite()
        let made = try await site.creation.run()
        let snapshots = "\(site.targetFolder)/snapshots"
        let name = try #require(SnapshotID.make(at: Date(timeIntervalSinceNow: 3600), after: nil)).text
        try FileManager.default.moveItem(atPath: "\(snapshots)/\(made.id)", toPath: "\(snapshots)/\(name)")
        await #expect(throws: BackupError.self) { _ = try await site.creation.run() }
        try FileManager.default.removeItem(atPath: "\(snapshots)/\(name)")
        _ = try await site.creation.run()
    }

    @Test func `a target belongs to one database`() async throws {
        let (site, other) = (try BackupSite(), try BackupSite())
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let creation = BackupCreation(other.source, to: site.target, version: "test")
        await #expect(throws: BackupError.self) { _ = try await creation.run() }
        await #expect(throws: BackupError.self) {
            _ = try await BackupPruning(site.target, of: other.url).run(.standard)
        }
        _ = try await BackupVerification(site.target).run(site.target.snapshot(named: nil))
        // Who takes its place says so.
        try FileManager.default.removeItem(atPath: "\(site.targetFolder)/owner.json")
        _ = try await creation.run()
        await #expect(throws: BackupError.self) { _ = try await site.creation.run() }
    }

    @Test func `what goes while a backup is made is noticed`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        var creation = site.creation
        let folder = site.targetFolder
        creation.onStep = { step in
            if step == .manifestWritten { try FileManager.default.removeItem(atPath: "\(folder)/files") }
        }
        await #expect(throws: BackupError.self) { _ = try await creation.run() }
        #expect(try await site.target.snapshots() == [])
    }

    @Test func `a damaged content is set aside and written again`() async throws {
        let site = try BackupSite()
        try await site.add("a", "some content")
        _ = try await site.creation.run()
        let file = try #require(site.targetFiles().first { $0.hasPrefix("files/") })
        try Data("SOME CONTENT".utf8).write(to: URL(fileURLWithPath: "\(site.targetFolder)/\(file)"))
        let id = try await site.target.snapshot(named: nil)
        await #expect(throws: BackupError.self) { try await BackupVerification(site.target).run(id) }
        #expect(try site.targetFiles().filter { $0.hasPrefix("files/") } == ["\(file).damaged"])
        #expect(try await site.creation.run().newFiles == 1)
        for id in try await site.target.snapshots() { _ = try await BackupVerification(site.target).run(id) }
    }
}
