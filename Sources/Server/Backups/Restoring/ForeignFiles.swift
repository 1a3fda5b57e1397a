import SwiftletAuth
import SwiftletEssentials

/// The folder for files as Supabase stores them: `bucket/name/version`.
struct ForeignFiles {
    let path: String
    /// That of new files: a store's may be read by its group.
    var mode = 0o640

    /// Whether it was not there yet. Throws ``BackupError/fileDiffers(_:)`` for one that is other.
    func put(_ chunks: CheckedChunks, at names: [String]) async throws -> Bool {
        let areNames = names.allSatisfy { name in
            !["", ".", ".."].contains(name) && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
        }
        guard areNames, let name = names.last else { throw BackupError.damaged("a name in files.tsv leads elsewhere") }
        let folder = ([path] + names.dropLast()).joined(separator: "/")
        let file = "\(folder)/\(name)"
        if FileManager.default.fileExists(atPath: file) {
            guard try digest(ofFile: file) == chunks.sha256 else { throw BackupError.fileDiffers(file) }
            return false
        }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o750]
        )
        let partial = "\(folder)/.\(UUID().uuidString)"
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: mode]
        guard FileManager.default.createFile(atPath: partial, contents: nil, attributes: attributes),
            let handle = OpenFile(forWritingAtPath: partial)
        else { throw BackupError.refused("no file can be made in \(folder)") }
        do {
            for try await chunk in chunks { try handle.write(contentsOf: chunk) }
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(atPath: partial, toPath: file)
        } catch {
            try? FileManager.default.removeItem(atPath: partial)
            throw error
        }
        return true
    }

    private func digest(ofFile path: String) throws -> String? {
        guard let handle = OpenFile(forReadingAtPath: path) else { return nil }
        defer { try? handle.close() }
        let digest = try RunningDigest(.sha256)
        while true {
            let piece = try handle.read(upToCount: 1 << 18)
            if piece.isEmpty { return try digest.finish() }
            try digest.add(piece)
        }
    }
}
