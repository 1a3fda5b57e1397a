import SwiftletHTTP
import SwiftletWeb

/// Stores the content of a request, and then makes its row: a row never exists without its file.
struct UploadAction {
    let writer: ObjectWriter
    let files: FileStore

    /// So much is taken before anybody asks whether it is welcome.
    private static let unaskedBytes = 64 << 10

    /// The id of the row.
    func run() async throws -> String {
        let request = writer.call.request
        let length = request.contentLength
        let body = try await UploadBody(request, bucket: writer.bucket, name: writer.name)
        let isLong = length.map { $0 > Self.unaskedBytes } ?? true
        let found = try await writer.admit(body.object, length: length, isTried: isLong)
        // The length of a form is that of its file and a little more.
        let most = files.maximumBytes
        let limit = try writer.check(body.object, found, length: request.isRaw ? length : nil, atMost: most)
        let new = try await NewFile(writer.call, files)
        return try await new.stored(body.chunks, limit: limit, writer.call) { file, forgettingNote in
            let object = try await body.finished()
            _ = try writer.check(object, found, length: request.isRaw ? file.size : nil, atMost: most)
            return try await writer.insert(object, file, after: [forgettingNote])
        }
    }
}

extension Request {
    /// As the client says; nil for content that comes in chunks.
    var contentLength: Int? { bodyStream == nil ? body.count : header("Content-Length").flatMap { Int($0) } }

    /// Whether the body itself is the content.
    fileprivate var isRaw: Bool {
        header(.contentType).flatMap(MediaType.init)?.essence != "multipart/form-data"
    }
}
