public import SwiftletHTTP

/// A file on its way to us. Read its ``chunks`` before the next file is asked for; what is left of them is skipped.
public struct UploadedFile {
    /// The form's field; nil if the body itself is the file.
    public let field: String?
    /// Safe to show and to store, but not to use as a path. nil if the client gives none.
    public let name: FileName?
    /// What the client says it is; `application/octet-stream` if it does not.
    public let contentType: MediaType
    public let chunks: Chunks

    /// The content of one file, to be read once.
    public struct Chunks: AsyncSequence {
        let source: Source

        enum Source {
            case body(RequestBody)
            case part(FormReader, Int)
        }

        public struct AsyncIterator: AsyncIteratorProtocol {
            fileprivate var source: Source

            fileprivate enum Source {
                case body(RequestBody.AsyncIterator)
                case part(FormReader, Int)
            }

            public mutating func next() async throws -> [UInt8]? {
                switch source {
                case .part(let reader, let number): return try await reader.data(of: number)
                case .body(var iterator):
                    let chunk = try await iterator.next()
                    source = .body(iterator)
                    return chunk
                }
            }
        }

        public func makeAsyncIterator() -> AsyncIterator {
            switch source {
            case .body(let body): AsyncIterator(source: .body(body.makeAsyncIterator()))
            case .part(let reader, let number): AsyncIterator(source: .part(reader, number))
            }
        }
    }
}
