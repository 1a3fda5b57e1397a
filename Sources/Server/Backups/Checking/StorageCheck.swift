import SwiftletAuth
import SwiftletBlockingPool
import SwiftletFiles
import SwiftletPostgres
import SwiftletStorage
import Synchronization

/// Compares the rows of `storage.objects` with the files that they name. Changes nothing.
package struct StorageCheck: Sendable {
    private let source: BackupSource

    private static let atOnce = 4
    private static let shown = 100

    package init(_ source: BackupSource) { self.source = source }

    package struct Report: Equatable, Sendable {
        package var rows = 0
        /// `bucket/name` of rows without a file, the first hundred.
        package var missing: [String] = []
        package var missingCount = 0
        /// `bucket/name` of rows whose file has another content than they say, where all are read.
        package var differing: [String] = []
        /// Files below `objects/` that no row names, that are not about to be purged, and that no upload is making.
        package var unnamed = 0
        package var unnamedBytes = 0
    }

    /// Reads every file where it `isDeep`.
    package func run(isDeep: Bool = false) async throws -> Report {
        let threads = BlockingPool("storage-check", width: 4)
        let snapshot = try await DatabaseSnapshot.begin(source.databaseURL, threads)
        let (files, others): ([FileEntry], Set<String>)
        do {
            (files, others) = (try await snapshot.files(), try await snapshot.otherVersions())
        } catch {
            await snapshot.end()
            throw error
        }
        await snapshot.end()
        // After the rows: the file of each of them was there before it.
        let present = try await present()
        var report = Report(rows: files.count)
        var named = others
        var found: [FileEntry] = []
        for entry in files {
            if let key = entry.key { named.insert(key) }
            let isThere: Bool
            if let key = entry.key {
                isThere = present[key] != nil
            } else {
                isThere = try await source.open(entry) != nil
            }
            if isThere {
                found.append(entry)
            } else {
                report.missingCount += 1
                if report.missing.count < Self.shown { report.missing.append(entry.title) }
            }
        }
        for (key, bytes) in present where !named.contains(key) {
            report.unnamed += 1
            report.unnamedBytes += bytes
        }
        if isDeep { report.differing = try await differing(found) }
        return report
    }

    private func present() async throws -> [String: Int] {
        let found = Mutex<[String: Int]>([:])
        try await source.storage.list(BackupSource.rowFiles) { page in
            found.withLock { found in for object in page { found[object.key.text] = object.bytes } }
        }
        return found.withLock(\.self)
    }

    private func differing(_ files: [FileEntry]) async throws -> [String] {
        var rest = files[...]
        return try await withThrowingTaskGroup(of: String?.self) { group in
            var names: [String] = []
            for _ in 0..<Self.atOnce {
                if let entry = rest.popFirst() { group.addTask { try await fault(entry) } }
            }
            while let name = try await group.next() {
                if let name { names.append(name) }
                if let entry = rest.popFirst() { group.addTask { try await self.fault(entry) } }
            }
            return names.sorted()
        }
    }

    /// Its title if its content is not what the row says, or cannot be read.
    private func fault(_ entry: FileEntry) async throws -> String? {
        guard let object = try await source.open(entry) else { return entry.title }
        guard let sha256 = entry.sha256 else { return entry.size == object.length ? nil : entry.title }
        do {
            return try await object.hasDigest(sha256) ? nil : entry.title
        } catch StorageError.damaged {
            return entry.title
        }
    }
}

extension FileEntry {
    fileprivate var title: String { "\(bucket ?? "")/\(name ?? "")" }
}

extension DatabaseSnapshot {
    /// Keys of files that are about to be purged, or that uploads are making.
    fileprivate func otherVersions() async throws -> Set<String> {
        try await run { connection in
            let row = try connection.query(
                "SELECT to_regclass('storage.swiftlet_purge') IS NOT NULL, to_regclass('storage.swiftlet_uploads') IS NOT NULL"
            ).first
            var versions: Set<String> = []
            for (index, table) in ["swiftlet_purge", "swiftlet_uploads"].enumerated() where row?[index] == "t" {
                for row in try connection.query("SELECT version FROM storage.\(table)") {
                    if let key = FileVersion(text: (row.first ?? nil) ?? "").key { versions.insert(key.text) }
                }
            }
            return versions
        }
    }
}
