import SwiftletAuth
import SwiftletEssentials

extension StorageAPI {
    /// Uploads a file in place of what has the name. Large ones go resumably, piece by piece.
    func upload(_ path: String, _ bucket: String, _ name: String) async throws {
        guard let file = OpenFile(forReadingAtPath: path) else { throw CommandFailure("\(path) cannot be read") }
        defer { try? file.close() }
        let size = try file.seekToEnd()
        try file.seek(toOffset: 0)
        let type = Self.type(of: name)
        guard size > Self.pieceBytes else {
            let body = try file.readToEnd()
            let headers = [("Content-Type", type), ("x-upsert", "true")]
            _ = try await send("POST", "object/\(Self.path(bucket, name))", body, headers: headers)
            return
        }
        let fields = [("bucketName", bucket), ("objectName", name), ("contentType", type)]
        let metadata = fields.map { "\($0) \(Data($1.utf8).base64EncodedString())" }.joined(separator: ",")
        let resumable = [("Tus-Resumable", "1.0.0"), ("x-upsert", "true")]
        let made = try await send(
            "POST",
            "upload/resumable",
            headers: resumable + [("Upload-Length", "\(size)"), ("Upload-Metadata", metadata)]
        )
        guard let location = made.header("Location"), let id = location.split(separator: "/").last else {
            throw CommandFailure("\(name): the server says no Location")
        }
        var offset = 0
        while offset < size {
            let piece = try file.read(upToCount: Self.pieceBytes)
            if piece.isEmpty { throw CommandFailure("\(path) has become shorter") }
            let headers = [("Upload-Offset", "\(offset)"), ("Content-Type", "application/offset+octet-stream")]
            _ = try await send("PATCH", "upload/resumable/\(id)", piece, headers: resumable + headers)
            offset += piece.count
        }
    }

    /// Writes an object to a file, which is there when all of it is.
    func download(_ bucket: String, _ name: String, to path: String) async throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750]
        )
        let partial = "\(folder)/.swiftlet-\(UUID().uuidString)"
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: partial, contents: nil, attributes: attributes),
            let file = OpenFile(forWritingAtPath: partial)
        else { throw CommandFailure("no file can be made in \(folder)") }
        defer { try? FileManager.default.removeItem(atPath: partial) }
        var (offset, tag) = (0, String?.none)
        while true {
            var headers = [("Range", "bytes=\(offset)-\(offset + Self.pieceBytes - 1)")]
            if let tag { headers.append(("If-Range", tag)) }
            let answer = try await send("GET", "object/\(Self.path(bucket, name))", headers: headers, expecting: [416])
            // An object without a byte has no range.
            if answer.status == 416, offset == 0 { break }
            guard answer.status == 206 || offset == 0 && answer.status == 200 else {
                throw CommandFailure("\(name) has changed meanwhile")
            }
            try file.write(contentsOf: answer.body)
            offset += answer.body.count
            tag = answer.header("ETag")
            let size = answer.header("Content-Range").flatMap { $0.split(separator: "/").last }.flatMap { Int($0) }
            if answer.status == 200 || answer.body.isEmpty || offset >= size ?? offset { break }
        }
        try file.synchronize()
        try file.close()
        guard unsafe rename(partial, path) == 0 else { throw CommandFailure("\(path) cannot be written") }
    }

    /// MD5 in hexadecimal digits, as rows have it.
    static func md5(ofFile path: String) throws -> String {
        guard let file = OpenFile(forReadingAtPath: path) else { throw CommandFailure("\(path) cannot be read") }
        defer { try? file.close() }
        let digest = try RunningDigest(.md5)
        while true {
            let piece = try file.read(upToCount: 1 << 20)
            if piece.isEmpty { return try digest.finish() }
            try digest.add(piece)
        }
    }

    /// By the ending of the name.
    static func type(of name: String) -> String {
        types[URL(fileURLWithPath: name).pathExtension.lowercased()] ?? "application/octet-stream"
    }

    private static let types = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "gif": "image/gif", "webp": "image/webp",
        "avif": "image/avif", "heic": "image/heic", "svg": "image/svg+xml", "pdf": "application/pdf",
        "txt": "text/plain", "csv": "text/csv", "md": "text/markdown", "html": "text/html", "css": "text/css",
        "js": "text/javascript", "json": "application/json", "xml": "application/xml", "zip": "application/zip",
        "gz": "application/gzip", "mp3": "audio/mpeg", "m4a": "audio/mp4", "wav": "audio/wav", "mp4": "video/mp4",
        "mov": "video/quicktime", "webm": "video/webm", "woff2": "font/woff2",
    ]
}
