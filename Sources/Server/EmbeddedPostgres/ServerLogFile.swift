import SwiftletEssentials

/// The log that `pg_ctl start` appends to.
struct ServerLogFile {
    private let path: String
    private let oldBytes: Int

    init(_ path: String) {
        self.path = path
        oldBytes = FileStatus(atPath: path)?.size ?? 0
    }

    /// The last lines that were added since this value was made; nil if there are none.
    var endOfNews: String? {
        guard let file = OpenFile(forReadingAtPath: path) else { return nil }
        defer { try? file.close() }
        try? file.seek(toOffset: oldBytes)
        guard let bytes = try? file.readToEnd(), !bytes.isEmpty else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").suffix(5).joined(separator: " | ")
    }
}
