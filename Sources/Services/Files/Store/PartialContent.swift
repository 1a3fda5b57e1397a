import SwiftletHTTP
import SwiftletStorage
import SwiftletWeb

/// What has come so far of a content that comes in several requests, until it is the file of an object.
struct PartialContent {
    private let files: FileStore
    private let partials: PartialFolder
    private let version: FileVersion
    private let key: ObjectKey
    /// In bytes, of all of it.
    private let length: Int

    init(_ files: FileStore, _ version: FileVersion, length: Int) throws(FilesError) {
        guard let partials = files.storage.partials else {
            throw FilesError(501, "FeatureNotEnabled", "FeatureNotEnabled", "This server takes no resumable uploads")
        }
        guard let key = version.key else { throw .internalError }
        self.files = files
        self.partials = partials
        self.version = version
        self.key = key
        self.length = length
    }

    /// How much there is. After a crash, all of it may be the file of an object already.
    func offset() async throws -> Int {
        if let partial = try await partials.length(key) { return partial }
        return try await files.open(version)?.length ?? 0
    }

    /// Appends what comes, and returns how much there is then. What has come before a failure stays.
    func append<Chunks: AsyncSequence>(_ chunks: Chunks, at offset: Int) async throws -> Int
    where Chunks.Element == [UInt8] {
        guard offset < length else {
            for try await chunk in chunks where !chunk.isEmpty { throw FilesError.tooLarge }
            return offset
        }
        let file = try await partials.open(key)
        let digests = offset == 0 ? files.partialDigests.begin(version) : files.partialDigests.find(version)
        var end = offset
        do {
            for try await chunk in chunks where !chunk.isEmpty {
                guard chunk.count <= length - end else { throw FilesError.tooLarge }
                guard try await file.append(chunk, at: end) else { throw FilesError.wrongOffset }
                digests?.add(chunk, at: end)
                end += chunk.count
            }
        } catch {
            try? await file.flush()
            throw error
        }
        try await file.flush()
        return end
    }

    /// Makes it the file of an object, durably. May be repeated, after a crash too.
    func store() async throws -> StoredFile {
        let isThere = try await partials.length(key) == length
        // Of no bytes there may be none.
        if isThere || length == 0 {
            if !isThere { try await partials.open(key).flush() }
            do {
                try await files.storage.adopt(key, of: partials, at: key)
            } catch {
                // Another request may have been faster.
                guard try await partials.length(key) == nil else { throw error }
            }
        }
        guard let object = try await files.open(version), object.length == length else { throw StorageError.damaged }
        guard let digests = files.partialDigests.find(version)?.result(of: length) else {
            return try await files.digest(object, version)
        }
        return StoredFile(version: version, size: length, md5: digests.md5, sha256: digests.sha256)
    }

    /// Does nothing if there is none.
    func remove() async throws {
        files.partialDigests.remove(version)
        try await files.deletePartial(version)
    }

    /// What a store leaves that copies it.
    func tidy() async {
        files.partialDigests.remove(version)
        try? await partials.remove(key)
    }
}

extension FilesError {
    static let wrongOffset = FilesError(409, "InvalidUploadOffset", "Conflict", "Upload-Offset conflict")
}
