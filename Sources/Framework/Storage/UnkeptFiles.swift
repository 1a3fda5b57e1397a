public import SwiftletWeb
import SwiftletPostgres

/// Files in the storage of functions that no row names, so that a server that ends between a file and its row loses no
/// space: `swiftlet.unkept_files`, see `0065_unkept_files.sql`. The job of the storage removes them.
package enum UnkeptFiles {
    /// How long a file may wait for its row, in seconds: twice the life of an upload.
    static let expectedSeconds = 48 * 3600

    /// False before the migration.
    package static func isKept(_ context: Context) async throws -> Bool {
        try await context.query("SELECT to_regclass('swiftlet.unkept_files') IS NOT NULL AS is_there")
            .first?["is_there"] == "t"
    }

    /// Removes some files whose time was over so long ago, in a transaction, and returns how many.
    package static func removeSome(
        _ limit: Int,
        after age: Duration,
        from storage: ObjectStorage,
        _ context: Context
    ) async throws -> Int {
        let rows = try await context.query(
            """
            DELETE FROM swiftlet.unkept_files WHERE key IN (
                SELECT key FROM swiftlet.unkept_files
                WHERE due <= clock_timestamp() - \(age.components.seconds.description)::integer * interval '1 second'
                ORDER BY due LIMIT \(limit) FOR UPDATE SKIP LOCKED
            ) RETURNING key
            """
        )
        for key in rows.compactMap({ $0["key"].flatMap(ObjectKey.init) }) { try await storage.delete(key) }
        return rows.count
    }
}

extension Context {
    /// Notes that a file with this key is about to be stored, and a row to be made for it. A file whose row does not come
    /// within two days, as the server was killed, is removed.
    ///
    ///     try await context.expectFile(key)
    ///     let size = try await context.storage.put(chunks, at: key, contentType: type)
    ///     try await context.transaction { context in
    ///         try await context.keepFiles([key])
    ///         … // the row
    ///     }
    public func expectFile(_ key: ObjectKey) async throws {
        guard try await UnkeptFiles.isKept(self) else { return }
        _ = try await query(
            """
            INSERT INTO swiftlet.unkept_files (key, due)
            VALUES (\(key.text), clock_timestamp() + \(UnkeptFiles.expectedSeconds) * interval '1 second')
            ON CONFLICT (key) DO UPDATE SET due = EXCLUDED.due
            """
        )
    }

    /// Says that rows name these files now. Belongs into the transaction that makes the rows. Throws ``StorageError`` if
    /// one has waited for so long that it may have been removed.
    public func keepFiles(_ keys: [ObjectKey]) async throws {
        guard try await UnkeptFiles.isKept(self) else { return }
        let names = Set(keys.map(\.text))
        let kept = try await query(
            "DELETE FROM swiftlet.unkept_files WHERE key = ANY (\(Array(names))::text[]) RETURNING key"
        )
        guard kept.count == names.count else {
            throw StorageError.unavailable("a file has waited too long for its row")
        }
    }

    /// Says that no row names these files any more: they are removed after `STORAGE_PURGE_AFTER`, so that those who read
    /// them come to their end. Belongs into the transaction that deletes the rows.
    public func dropFiles(_ keys: [ObjectKey]) async throws {
        guard try await UnkeptFiles.isKept(self) else { return }
        _ = try await query(
            """
            INSERT INTO swiftlet.unkept_files (key, due) SELECT key, clock_timestamp()
            FROM unnest(\(keys.map(\.text))::text[]) AS key ON CONFLICT (key) DO UPDATE SET due = EXCLUDED.due
            """
        )
    }
}
