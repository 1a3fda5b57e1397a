import SwiftletBlockingPool
import SwiftletEssentials
import SwiftletStorage

/// Makes a backup of rows and files of one moment. Nothing waits for it.
///
/// Until its last file is written, there is no backup: one that is broken off leaves contents that the next one uses,
/// and a folder that the next removal of old ones removes.
package struct BackupCreation: Sendable {
    private let source: BackupSource
    private let target: BackupTarget
    /// That of the server.
    private let version: String
    /// Called after each step, for tests.
    package var onStep: @Sendable (BackupStep) async throws -> Void = { _ in }

    package init(_ source: BackupSource, to target: BackupTarget, version: String) {
        self.source = source
        self.target = target
        self.version = version
    }

    /// Throws ``BackupError``, errors of the database, and `StorageError`.
    package func run() async throws -> Manifest {
        let threads = BlockingPool("backup", width: 8)
        let lock = try await BackupLock.take(source.databaseURL, threads)
        do {
            let manifest = try await run(lock, threads)
            await lock.release()
            return manifest
        } catch {
            await lock.release()
            throw error
        }
    }

    private func run(_ lock: BackupLock, _ threads: BlockingPool) async throws -> Manifest {
        try await onStep(.locked)
        let last = try await target.snapshots().last
        // It would stay the newest, whatever comes behind it, and nobody would see that none comes.
        if let last, last.began.timeIntervalSinceNow > SnapshotID.maximumLead {
            throw BackupError.refused(
                "the newest backup, \(last), is of the future: set the clock, or remove its folder"
            )
        }
        let owner = try await TargetOwner.of(source.databaseURL, threads)
        try await owner.claim(target)
        guard let id = SnapshotID.make(at: Date(), after: last) else { throw BackupError.refused("the clock is wrong") }
        let snapshot = try await DatabaseSnapshot.begin(source.databaseURL, threads)
        let files: [FileEntry]
        do {
            try await onStep(.snapshotTaken)
            // Before the dump: functions may remove their files at any time.
            files = try await snapshot.files() + source.functionFiles()
            try await source.expectStores(of: files)
        } catch {
            await snapshot.end()
            throw error
        }
        // PostgreSQL's program has a processor of its own.
        async let dumped = dump(snapshot, id, threads)
        let (known, contents) = (try await self.files(of: last), try await target.contents())
        let outcome = try await FileCopying(source: source, target: target)
            .copy(files, known: known, contents: contents)
        try await onStep(.filesCopied)
        let dump = try await dumped

        var sums = dump.sums
        var manifest = Manifest(id: id, swiftlet: version, dumpProgram: dump.program, snapshot.facts)
        manifest.dumpBytes = dump.bytes
        manifest.count(outcome)
        sums[.files] = try await target.write(FileList.encode(outcome.entries), to: id.key(.files))
        try await onStep(.filesListed)
        manifest.finished = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))
        sums[.manifest] = try await target.write(manifest.encoded(), to: id.key(.manifest))
        try await onStep(.manifestWritten)
        // Without it, files may have been purged, or contents of older backups removed.
        try await lock.check()
        try await owner.expect(in: target)
        try await expectParts(of: id, outcome.entries)
        _ = try await target.write(Array(Checksums(sums).text.utf8), to: id.key(.checksums))
        try await onStep(.finished)
        return manifest
    }

    private struct Dump {
        var sums: [SnapshotPart: String] = [:]
        var bytes = 0
        let program: String
    }

    /// Ends the snapshot, which keeps old rows from being cleaned up, as soon as it is not needed any more.
    private func dump(_ snapshot: DatabaseSnapshot, _ id: SnapshotID, _ threads: BlockingPool) async throws -> Dump {
        do {
            let program = try await threads.finish {
                try PostgresProgram.find("pg_dump", major: snapshot.facts.major)
            }
            var dump = Dump(program: program.version)
            let connection = try ProgramConnection(source.databaseURL)
            (dump.sums[.dump], dump.bytes) = try await DatabaseDump(
                program: program,
                connection: connection,
                threads: threads
            ).write(snapshot.id, to: target, id.key(.dump))
            try await onStep(.rowsDumped)
            dump.sums[.roles] = try await target.write(Array(snapshot.roles().utf8), to: id.key(.roles))
            await snapshot.end()
            return dump
        } catch {
            await snapshot.end()
            throw error
        }
    }

    /// Somebody else may have removed what looked unused.
    private func expectParts(of id: SnapshotID, _ entries: [FileEntry]) async throws {
        for part in SnapshotPart.summed where try await target.open(id.key(part)) == nil {
            throw BackupError.damaged("\(part.rawValue) has gone while \(id) was made")
        }
        let contents = try await target.contents()
        for sha256 in entries.compactMap(\.sha256) where contents[sha256] == nil {
            throw BackupError.damaged("files/\(sha256.prefix(2))/\(sha256) has gone while \(id) was made")
        }
    }

    /// Those of the last backup, by their places in the store. None where it is damaged: all are read again.
    private func files(of last: SnapshotID?) async throws -> [String: FileEntry] {
        guard let last, let files = try? await SnapshotReader(target, last).files()
        else { return [:] }
        let places = files.compactMap { entry in entry.place.map { ($0, entry) } }
        return Dictionary(places) { $1 }
    }
}

/// A step of a backup that is over.
package enum BackupStep: String, CaseIterable, Codable, Sendable {
    case locked, snapshotTaken, rowsDumped, filesCopied, filesListed, manifestWritten, finished
}

extension Manifest {
    fileprivate mutating func count(_ outcome: FileCopying.Outcome) {
        files = outcome.entries.count
        fileBytes = outcome.entries.reduce(0) { $0 + ($1.sha256 == nil ? 0 : $1.size) }
        newFiles = outcome.newFiles
        newBytes = outcome.newBytes
        missing = outcome.missing
        differing = outcome.differing
    }
}
