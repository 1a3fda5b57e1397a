import Foundation

/// What the server does not have yet of files, as files, since the system sends whole ones.
struct UploadRemainders {
    let folder: URL

    /// Must not be called while another remainder of it is sent: that goes.
    func make(_ upload: BackgroundUpload) throws -> URL {
        remove(upload.id)
        let place = folder.appending(path: "\(Self.prefix(upload.id))\(upload.offset)\(Self.suffix)")
        guard FileManager.default.createFile(atPath: place.path, contents: nil) else {
            throw CocoaError(.fileWriteUnknown)
        }
        let (source, target) = (try FileHandle(forReadingFrom: upload.file), try FileHandle(forWritingTo: place))
        defer {
            try? source.close()
            try? target.close()
        }
        try source.seek(toOffset: UInt64(upload.offset))
        while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty { try target.write(contentsOf: piece) }
        return place
    }

    func remove(_ id: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix(Self.prefix(id)) && name.hasSuffix(Self.suffix) {
            try? FileManager.default.removeItem(at: folder.appending(path: name))
        }
    }

    private static let suffix = ".rest"

    private static func prefix(_ id: String) -> String { "upload-\(id)-" }
}
