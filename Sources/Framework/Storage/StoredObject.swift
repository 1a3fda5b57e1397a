public import SwiftletHTTP

/// An object that is being read.
public struct StoredObject: Sendable {
    /// In bytes.
    public let length: Int
    /// As it was stored.
    public let contentType: MediaType
    /// All of its content.
    public let chunks: ObjectChunks

    package init(
        length: Int,
        contentType: MediaType,
        pieceBytes: Int,
        read: @escaping @Sendable (Range<Int>) async throws -> [UInt8]
    ) {
        self.length = length
        self.contentType = contentType
        chunks = ObjectChunks(range: 0..<length, pieceBytes: pieceBytes, read: read)
    }

    /// The bytes of the range, of which those that the object does not have are left out.
    public func chunks(in range: Range<Int>) -> ObjectChunks {
        ObjectChunks(range: range.clamped(to: 0..<length), pieceBytes: chunks.pieceBytes, read: chunks.read)
    }
}

/// The content of an object, read piece by piece as it is asked for. May be read several times.
public struct ObjectChunks: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = any Error

    fileprivate let range: Range<Int>
    fileprivate let pieceBytes: Int
    fileprivate let read: @Sendable (Range<Int>) async throws -> [UInt8]

    /// The number of bytes in all.
    public var count: Int { range.count }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let chunks: ObjectChunks
        private var position: Int

        fileprivate init(_ chunks: ObjectChunks) {
            self.chunks = chunks
            position = chunks.range.lowerBound
        }

        /// Throws ``StorageError/damaged`` if the object has become another or shorter one meanwhile.
        public mutating func next() async throws -> [UInt8]? {
            let end = Swift.min(position + chunks.pieceBytes, chunks.range.upperBound)
            guard position < end else { return nil }
            try Task.checkCancellation()
            let bytes = try await chunks.read(position..<end)
            guard bytes.count == end - position else { throw StorageError.damaged }
            position = end
            return bytes
        }
    }
}
