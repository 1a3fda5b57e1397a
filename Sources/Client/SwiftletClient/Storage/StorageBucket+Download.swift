public import Foundation

extension StorageBucket {
    /// Stores a file on this device, piece by piece, so that it is never in memory as a whole. What breaks off goes on
    /// where it was, unless the file has changed meanwhile; then it begins anew.
    public func download(
        path: String,
        to file: URL,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws {
        let partial = file.appendingPathExtension("partial")
        try? FileManager.default.removeItem(at: partial)
        guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: partial.path])
        }
        defer { try? FileManager.default.removeItem(at: partial) }
        let handle = try FileHandle(forWritingTo: partial)
        defer { try? handle.close() }
        var (completed, version): (Int64, String?) = (0, nil)
        while true {
            let piece = try await piece(of: path, from: completed, version)
            if piece.start != completed {
                try handle.truncate(atOffset: UInt64(max(0, piece.start)))
                completed = piece.start
            }
            try handle.write(contentsOf: piece.data)
            completed += Int64(piece.data.count)
            version = piece.version
            progress?(TransferProgress(completed: completed, total: piece.total))
            // A server that gives nothing more will not do so later.
            if completed >= piece.total || piece.data.isEmpty { break }
        }
        try handle.synchronize()
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: partial, to: file)
    }

    private struct Piece {
        let data: Data
        let start: Int64
        let total: Int64
        let version: String?
    }

    /// In bytes.
    private static let pieceSize: Int64 = 4 * 1024 * 1024

    private func piece(of path: String, from start: Int64, _ version: String?) async throws -> Piece {
        var endpoint = try await client.storage(.get, "object/authenticated/\(place(path))")
        endpoint.headers["Range"] = "bytes=\(start)-\(start + Self.pieceSize - 1)"
        if let version { endpoint.headers["If-Range"] = version }
        let answer = try await client.answer(endpoint)
        // An empty file has no range.
        if answer.status == 416, start == 0 { return Piece(data: Data(), start: 0, total: 0, version: nil) }
        let data = try answer.checked()
        // `bytes 0-4194303/9000000`
        if answer.status == 206, let total = answer.header("Content-Range")?.split(separator: "/").last,
            let total = Int64(total)
        {
            return Piece(data: data, start: start, total: total, version: answer.header("ETag"))
        }
        return Piece(data: data, start: 0, total: Int64(data.count), version: answer.header("ETag"))
    }
}
