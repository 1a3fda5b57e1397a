import SwiftletPostgres
package import SwiftletStorage
package import SwiftletWeb

/// Removes the files of rows that are gone or have other content, see `0042_storage_purge.sql`.
package struct FilePurge: Sendable {
    private let files: FileStore
    private let age: Duration

    /// Few, as a backup that begins waits for them, and gives up in time.
    private static let filesAtOnce = 50
    /// The advisory lock that a backup holds.
    package static let lock = 8_315_178_083_838_322_540
    /// Twice the life of an upload.
    private static let orphanAge = Duration.seconds(48 * 3600)

    /// What has been gone for less than `age` stays (`STORAGE_PURGE_AFTER`).
    package init(storage: ObjectStorage, after age: Duration) {
        files = FileStore(storage: storage)
        self.age = age
    }

    /// Returns how many files it has removed. A crash between a file and its note leaves the note, and a file that is gone
    /// is gone the second time too.
    @discardableResult
    package func run(_ context: Context) async throws -> Int {
        var count = try await purgeUploads(context)
        count += try await purgeUnkept(context)
        while let batch = try await context.transaction({ try await purgeSome($0) }) {
            try Task.checkCancellation()
            count += batch.files
            if batch.notes < Self.filesAtOnce { break }
        }
        return count
    }

    /// Removes the files of functions that no row has come to name, see `Context.expectFile`, or that none names any more.
    private func purgeUnkept(_ context: Context) async throws -> Int {
        guard try await UnkeptFiles.isKept(context) else { return 0 }
        var count = 0
        while true {
            try Task.checkCancellation()
            let removed = try await context.transaction { context -> Int? in
                guard try await isNotBackedUp(context) else { return nil }
                return try await UnkeptFiles.removeSome(Self.filesAtOnce, after: age, from: files.storage, context)
            }
            guard let removed else { break }
            count += removed
            if removed < Self.filesAtOnce { break }
        }
        return count
    }

    private struct Batch {
        var files = 0
        var notes = 0
    }

    /// nil while a backup is made. None begins before the transaction has ended: it would list what is being removed.
    private func purgeSome(_ context: Context) async throws -> Batch? {
        guard try await isNotBackedUp(context) else { return nil }
        let notes = try await context.query(
            """
            SELECT id, version, EXISTS (SELECT FROM storage.objects AS o WHERE o.version = p.version) AS is_used
            FROM storage.swiftlet_purge AS p
            WHERE at <= clock_timestamp() - \(age.components.seconds.description)::integer * interval '1 second'
            ORDER BY at LIMIT \(Self.filesAtOnce)
            """
        )
        var batch = Batch(notes: notes.count)
        for note in notes where note["is_used"] != "t" {
            try await files.delete(FileVersion(text: note["version"] ?? ""))
            batch.files += 1
        }
        let ids = notes.compactMap { $0["id"] }
        if !ids.isEmpty {
            _ = try await context.query("DELETE FROM storage.swiftlet_purge WHERE id = ANY (\(ids)::bigint[])")
        }
        return batch
    }

    /// While a backup is made, the files of its rows stay: the next run comes soon.
    private func isNotBackedUp(_ context: Context) async throws -> Bool {
        let lock = "\(Self.lock)"
        return try await context.query("SELECT pg_try_advisory_xact_lock_shared(\(lock)::bigint) AS is_free")
            .first?["is_free"] == "t"
    }

    /// Ends the uploads that nobody has finished in time, and removes what has come of those that are ended. One that is
    /// being finished at this moment is either ended before, and fails, or not at all.
    private func purgeUploads(_ context: Context) async throws -> Int {
        _ = try await context.query(
            "UPDATE storage.swiftlet_uploads SET state = 'ended' WHERE state = 'open' AND expires_at <= clock_timestamp()"
        )
        var count = 0
        while true {
            try Task.checkCancellation()
            let uploads = try await context.query(
                """
                SELECT id, version FROM storage.swiftlet_uploads WHERE state = 'ended'
                LIMIT \(Self.filesAtOnce.description)::integer
                """
            )
            for upload in uploads {
                try await files.deletePartial(FileVersion(text: upload["version"] ?? ""))
                count += 1
            }
            let ids = uploads.compactMap { $0["id"] }
            guard !ids.isEmpty else { break }
            _ = try await context.query(
                "DELETE FROM storage.swiftlet_uploads WHERE id = ANY (\(ids)::uuid[]) AND state = 'ended'"
            )
        }
        _ = try await context.query(
            "DELETE FROM storage.swiftlet_uploads WHERE state = 'finished' AND expires_at <= clock_timestamp()"
        )
        // What no row names any more.
        try await files.storage.partials?.sweep(olderThan: Self.orphanAge)
        return count
    }
}
