public import Foundation

/// Keeps secrets in a file that only its owner can read: for command-line tools and Linux.
public actor FileTokenStore: TokenStore {
    private let url: URL

    /// The file and its folder are made on the first write.
    public init(url: URL) { self.url = url }

    public func read(_ name: String) throws -> Data? { try secrets()[name] }

    /// Whoever reads meanwhile, and whoever finds it after a crash, has the old file or the new one.
    public func write(_ secret: Data?, as name: String) throws {
        var secrets = try secrets()
        secrets[name] = secret
        let files = FileManager.default
        let folder = url.deletingLastPathComponent()
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let draft = folder.appendingPathComponent(".\(url.lastPathComponent).\(UUID().uuidString)")
        // Nobody else may read it at any moment, so it has its permissions before its contents.
        guard files.createFile(atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
            throw CocoaError(.fileWriteNoPermission)
        }
        do {
            let handle = try FileHandle(forWritingTo: draft)
            try handle.write(contentsOf: JSONEncoder().encode(secrets))
            try handle.synchronize()
            try handle.close()
            guard unsafe rename(draft.path, url.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            try? files.removeItem(at: draft)
            throw error
        }
    }

    private func secrets() throws -> [String: Data] {
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return [:]
        }
        return try JSONDecoder().decode([String: Data].self, from: data)
    }
}
