import SwiftletAuth
import SwiftletStorage

/// A content of a backup, which ends with an error unless it has its digest.
struct CheckedChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let object: StoredObject
    let sha256: String

    /// Throws ``BackupError/damaged(_:)`` if the backup does not have it.
    static func open(_ sha256: String, in target: BackupTarget) async throws -> CheckedChunks {
        guard let object = try await target.open(BackupTarget.file(sha256)) else {
            throw BackupError.damaged("files/\(sha256.prefix(2))/\(sha256) is missing")
        }
        return CheckedChunks(object: object, sha256: sha256)
    }

    func makeAsyncIterator() -> Iterator { Iterator(chunks: object.chunks.makeAsyncIterator(), sha256: sha256) }

    struct Iterator: AsyncIteratorProtocol {
        var chunks: ObjectChunks.Iterator
        let sha256: String
        private var digest: RunningDigest?

        init(chunks: ObjectChunks.Iterator, sha256: String) {
            self.chunks = chunks
            self.sha256 = sha256
            digest = try? RunningDigest(.sha256)
        }

        mutating func next() async throws -> [UInt8]? {
            if let chunk = try await chunks.next() {
                try digest?.add(chunk)
                return chunk
            }
            guard let actual = try digest?.finish(), actual == sha256 else {
                throw BackupError.damaged("files/\(sha256.prefix(2))/\(sha256) has changed")
            }
            return nil
        }
    }
}
