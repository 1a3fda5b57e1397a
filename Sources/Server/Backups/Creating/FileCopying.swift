import SwiftletAuth
import SwiftletFiles
import SwiftletStorage

/// Copies the contents that a target lacks.
struct FileCopying: Sendable {
    let source: BackupSource
    let target: BackupTarget

    private static let atOnce = 4

    struct Outcome: Sendable {
        var entries: [FileEntry] = []
        var newFiles = 0
        var newBytes = 0
        var missing = 0
        var differing = 0
    }

    /// `known` are the files of the last backup by their names in the store, `contents` what the target has.
    func copy(
        _ entries: [FileEntry],
        known: [String: FileEntry],
        contents: [String: Int]
    ) async throws -> Outcome {
        var outcome = Outcome()
        outcome.entries.reserveCapacity(entries.count)
        var waiting: [FileEntry] = []
        for entry in entries {
            // Only what an earlier backup has read itself: anybody who may change a row can write a digest into it.
            guard let place = entry.place, let earlier = known[place], earlier.stamp == entry.stamp,
                let sha256 = earlier.sha256, contents[sha256] == earlier.size
            else {
                waiting.append(entry)
                continue
            }
            var entry = entry
            (entry.sha256, entry.size, entry.type) = (sha256, earlier.size, earlier.type)
            outcome.entries.append(entry)
        }
        try await withThrowingTaskGroup(of: Copied.self) { group in
            var rest = waiting[...]
            for _ in 0..<Self.atOnce {
                if let entry = rest.popFirst() { group.addTask { try await copy(entry, contents) } }
            }
            while let copied = try await group.next() {
                outcome.add(copied)
                if let entry = rest.popFirst() { group.addTask { try await copy(entry, contents) } }
            }
        }
        return outcome
    }

    private func copy(_ entry: FileEntry, _ contents: [String: Int]) async throws -> Copied {
        guard let object = try await source.open(entry) else {
            var entry = entry
            entry.sha256 = nil
            return Copied(entry: entry, isMissing: true)
        }
        var copied = Copied(entry: entry)
        copied.entry.size = object.length
        if entry.version == nil { copied.entry.type = "\(object.contentType)" }
        if let claim = entry.sha256, try await put(object, claim, contents, &copied) { return copied }
        let digest = try RunningDigest(.sha256)
        for try await chunk in object.chunks { try digest.add(chunk) }
        let actual = try digest.finish()
        copied.isDiffering = entry.sha256.map { $0 != actual } ?? false
        guard try await put(object, actual, contents, &copied) else { throw StorageError.damaged }
        return copied
    }

    /// Whether the content is the one of this digest. What the target has under it is not written again.
    private func put(
        _ object: StoredObject,
        _ sha256: String,
        _ contents: [String: Int],
        _ copied: inout Copied
    ) async throws -> Bool {
        guard let key = try? BackupTarget.file(sha256) else { return false }
        let isThere = contents[sha256] == object.length
        let upload = isThere ? nil : try await target.begin(key)
        do {
            let digest = try RunningDigest(.sha256)
            for try await chunk in object.chunks {
                try digest.add(chunk)
                try await upload?.append(chunk)
            }
            guard try digest.finish() == sha256 else {
                await upload?.abandon()
                return false
            }
            try await upload?.commit()
        } catch {
            await upload?.abandon()
            throw error
        }
        copied.entry.sha256 = sha256
        copied.isNew = !isThere
        return true
    }

    struct Copied: Sendable {
        var entry: FileEntry
        var isNew = false
        var isMissing = false
        var isDiffering = false
    }
}

extension FileCopying.Outcome {
    fileprivate mutating func add(_ copied: FileCopying.Copied) {
        // A function has removed its file meanwhile.
        if copied.isMissing, copied.entry.version == nil { return }
        entries.append(copied.entry)
        if copied.isMissing { missing += 1 }
        if copied.isDiffering { differing += 1 }
        if copied.isNew {
            newFiles += 1
            newBytes += copied.entry.size
        }
    }
}
