import SwiftletAuth
import SwiftletHTTP
package import SwiftletStorage

/// The content of objects, in the storage that functions use too.
package struct FileStore: Sendable {
    let storage: ObjectStorage
    /// Where Supabase has stored what its rows name.
    var supabase: ForeignFolder?
    let partialDigests = PartialDigests.Shelf()

    package init(storage: ObjectStorage, supabase: ForeignFolder? = nil) {
        self.storage = storage
        self.supabase = supabase
    }

    /// The form in which objects are named; nil for what is no name of an object.
    package static func name(_ text: String) -> String? { try? ObjectName(text, allowsUnicode: true).text }

    /// The largest object that the operator allows.
    var maximumBytes: Int { storage.maximumBytes }

    /// Stores the chunks for good under a version that is not used yet. Throws what the chunks throw, and
    /// ``StorageError``; then nothing is stored.
    package func put<Chunks: AsyncSequence>(
        _ chunks: Chunks,
        as version: FileVersion = .unique(),
        limit: Int
    ) async throws -> StoredFile where Chunks.Element == [UInt8] {
        guard let key = version.key else { throw FilesError.internalError }
        let digested = try DigestedChunks(chunks)
        // Rows say the type, so that no store has to know it.
        let size = try await storage.put(digested, at: key, contentType: .bytes, limit: limit)
        return StoredFile(
            version: version,
            size: size,
            md5: try digested.md5.finish(),
            sha256: try digested.sha256.finish()
        )
    }

    /// Of a content that is stored already.
    func digest(_ object: StoredObject, _ version: FileVersion) async throws -> StoredFile {
        let (md5, sha256) = (try RunningDigest(.md5), try RunningDigest(.sha256))
        for try await chunk in object.chunks {
            try md5.add(chunk)
            try sha256.add(chunk)
        }
        return StoredFile(version: version, size: object.length, md5: try md5.finish(), sha256: try sha256.finish())
    }

    /// The content of a row, which Supabase may have stored: at `bucket/name/version`. Throws ``FilesError`` if it is not
    /// here.
    func open(_ row: ObjectRow) async throws -> StoredObject {
        let version = FileVersion(text: row.version ?? "")
        if version.key != nil {
            guard let object = try await open(version) else { throw FilesError.missingFile }
            return object
        }
        let names = row.name.split(separator: "/").map(String.init)
        let object = try await supabase?.open([row.bucketID] + names + [version.text])
        guard let object else { throw FilesError.foreignFile }
        return object
    }

    /// nil if the version has no content.
    func open(_ version: FileVersion) async throws -> StoredObject? {
        guard let key = version.key else { return nil }
        return try await storage.get(key)
    }

    /// That of an upload in several requests, and the file that it may have become without a row. Does nothing if there
    /// is none.
    func deletePartial(_ version: FileVersion) async throws {
        guard let key = version.key else { return }
        try await storage.partials?.remove(key)
        try await storage.delete(key)
    }

    /// Does nothing if it has none.
    package func delete(_ version: FileVersion) async throws {
        guard let key = version.key else { return }
        try await storage.delete(key)
    }
}

/// Content that is stored and has no row yet.
package struct StoredFile: Sendable {
    package let version: FileVersion
    package let size: Int
    /// In hexadecimal digits.
    package let md5: String
    package let sha256: String
}

/// Chunks whose digests are taken as they pass, once.
private struct DigestedChunks<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == [UInt8] {
    typealias Element = [UInt8]

    let chunks: Chunks
    let md5: RunningDigest
    let sha256: RunningDigest

    init(_ chunks: Chunks) throws {
        self.chunks = chunks
        md5 = try RunningDigest(.md5)
        sha256 = try RunningDigest(.sha256)
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(chunks: chunks.makeAsyncIterator(), md5: md5, sha256: sha256)
    }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: Chunks.AsyncIterator
        let md5: RunningDigest
        let sha256: RunningDigest

        mutating func next(isolation actor: isolated (any Actor)?) async throws -> [UInt8]? {
            guard let chunk = try await chunks.next(isolation: actor) else { return nil }
            try md5.add(chunk)
            try sha256.add(chunk)
            return chunk
        }
    }
}
