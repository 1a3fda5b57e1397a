public import SwiftletHTTP

extension Request {
    /// The files in the body as they arrive: those of a form, `multipart/form-data`, or else the body itself, named by
    /// `Content-Disposition` or `?filename=`.
    ///
    ///     Post("/photos", addPhotos).streamingBody(upTo: 100_000_000)
    ///
    ///     for try await file in try request.files() {
    ///         try await context.storage.put(file.chunks, at: key, contentType: file.contentType)
    ///     }
    ///
    /// A field that is no file is skipped. Throws 415 if the body is compressed, and 400 `INVALID_MULTIPART` for a form
    /// that is malformed, perhaps after its first files: store the rows that describe them when all have come.
    public func files() throws -> UploadedFiles {
        guard !isCompressed else { throw APIError.compressed }
        let type = header(.contentType).flatMap(MediaType.init) ?? .bytes
        guard type.essence == "multipart/form-data" else { return UploadedFiles(source: .body(bodyFile(type))) }
        return UploadedFiles(source: .form(try FormReader(bodyChunks, type)))
    }

    private func bodyFile(_ type: MediaType) -> UploadedFile {
        let disposition = header(.contentDisposition).flatMap(ContentDisposition.init)
        let name = disposition?.fileName ?? query["filename"]
        return UploadedFile(
            field: nil,
            name: name.flatMap(FileName.init),
            contentType: type,
            chunks: UploadedFile.Chunks(source: .body(bodyChunks))
        )
    }
}

/// The files of a request, to be read once.
public struct UploadedFiles: AsyncSequence {
    fileprivate let source: Source

    fileprivate enum Source {
        case form(FormReader)
        case body(UploadedFile)
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var source: Source?

        public mutating func next() async throws -> UploadedFile? {
            guard case .form(let reader) = source else {
                defer { source = nil }
                guard case .body(let file) = source else { return nil }
                return file
            }
            while let (head, number) = try await reader.nextPart() {
                guard let name = head.fileName else { continue }
                return UploadedFile(
                    field: head.name,
                    name: FileName(name),
                    contentType: head.contentType ?? .bytes,
                    chunks: UploadedFile.Chunks(source: .part(reader, number))
                )
            }
            source = nil
            return nil
        }
    }
}
