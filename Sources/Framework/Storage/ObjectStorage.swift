public import SwiftletHTTP

/// Where files are kept: a folder of this machine, or a bucket of an S3-compatible server.
///
///     let size = try await context.storage.put(chunks, at: key, contentType: type)
///     guard let object = try await context.storage.get(key) else { throw APIError.notFound }
///     for try await bytes in object.chunks { … }
///
/// No object is ever held in memory as a whole, and none is seen before all of it is stored.
public struct ObjectStorage: Sendable {
    /// The largest object that the operator allows, `MAX_FILE_BYTES`.
    public let maximumBytes: Int
    private let store: any ObjectStore

    package init(_ store: any ObjectStore, maximumBytes: Int = .max) {
        self.store = store
        self.maximumBytes = maximumBytes
    }

    /// Stores the chunks as one object, in place of one that had its key, and returns the number of its bytes.
    ///
    /// More than `limit` bytes, or than ``maximumBytes``, are a ``StorageError/tooLarge``, which is a 413.
    /// Throws ``StorageError``, and what the chunks throw; then nothing is stored, and what was there before still is.
    public func put<Chunks: AsyncSequence>(
        _ chunks: Chunks,
        at key: ObjectKey,
        contentType: MediaType,
        limit: Int = .max
    ) async throws -> Int where Chunks.Element == [UInt8] {
        let limit = min(limit, maximumBytes)
        let upload = try await store.begin(key, contentType)
        do {
            var size = 0
            for try await chunk in chunks {
                size += chunk.count
                guard size <= limit else { throw StorageError.tooLarge }
                if !chunk.isEmpty { try await upload.append(chunk) }
            }
            try Task.checkCancellation()
            try await upload.commit()
            return size
        } catch {
            await upload.abandon()
            throw error
        }
    }

    /// Where contents grow that come in several requests; nil if this server gathers none.
    package var partials: PartialFolder? { store.partials }

    /// Makes a content that has come in several requests an object. What its own limit was, the caller has kept.
    package func adopt(_ partial: ObjectKey, of partials: PartialFolder, at key: ObjectKey) async throws {
        try await store.adopt(partial, of: partials, at: key)
    }

    /// The object, of which nothing is read yet; nil if there is none.
    public func get(_ key: ObjectKey) async throws -> StoredObject? {
        try await store.open(key)
    }

    /// Does nothing if there is no such object. Also runs to its end in a task that is cancelled, so that it can clean up
    /// after a client that has gone.
    public func delete(_ key: ObjectKey) async throws {
        try await store.delete(key)
    }

    /// Visits the objects whose keys begin with the folder, all without one, see ``ObjectStore``.
    package func list(
        _ folder: ObjectKey? = nil,
        skipping skipped: ObjectKey? = nil,
        _ visit: @escaping ObjectPageVisitor
    ) async throws {
        try await store.list(folder, skipping: skipped, visit)
    }

    /// Whether there is anything at all here, see ``ObjectStore``.
    package func isFilled() async throws -> Bool { try await store.isFilled() }

    /// Throws ``StorageError`` if nothing can be stored.
    package func probe() async throws {
        try await store.probe()
    }
}
