/// A line of `files.tsv`: a file of the store, and the row that names it.
struct FileEntry: Equatable, Sendable {
    /// In hexadecimal digits; nil for a file that the store does not have.
    var sha256: String?
    var size: Int
    /// In the store; nil for a file that Supabase has stored, which is at `bucket/name/version`.
    let key: String?
    let version: String?
    let bucket: String?
    let name: String?
    /// The store's, of a file that no row protects from being changed.
    let stamp: String?
    /// The media type, where no row says it.
    var type: String? = nil
}

/// The file `files.tsv`, in PostgreSQL's text format: columns between tabs, `\N` for what is not there.
enum FileList {
    private static let columns = 8

    static func encode(_ entries: [FileEntry]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.count * 180)
        for entry in entries {
            let cells = [
                entry.sha256, String(entry.size), entry.key, entry.version, entry.bucket, entry.name, entry.stamp,
                entry.type,
            ]
            for (index, cell) in cells.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: "\t")) }
                append(cell, to: &bytes)
            }
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) throws(BackupError) -> [FileEntry] {
        var entries: [FileEntry] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let isPlain = !line.contains(UInt8(ascii: "\\"))
            let cells = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { bytes in
                isPlain ? String(decoding: bytes, as: UTF8.self) : cell(bytes)
            }
            guard cells.count == columns, let size = cells[1].flatMap({ Int($0) }), size >= 0 else {
                throw .damaged("line \(entries.count + 1) of files.tsv cannot be read")
            }
            entries.append(
                FileEntry(
                    sha256: cells[0],
                    size: size,
                    key: cells[2],
                    version: cells[3],
                    bucket: cells[4],
                    name: cells[5],
                    stamp: cells[6],
                    type: cells[7]
                )
            )
        }
        return entries
    }

    private static func append(_ cell: String?, to bytes: inout [UInt8]) {
        guard let cell else {
            bytes += Array(#"\N"#.utf8)
            return
        }
        // Most have none of these.
        guard cell.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") }) else {
            bytes.append(contentsOf: cell.utf8)
            return
        }
        for byte in cell.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += Array(#"\\"#.utf8)
            case UInt8(ascii: "\t"): bytes += Array(#"\t"#.utf8)
            case UInt8(ascii: "\n"): bytes += Array(#"\n"#.utf8)
            case UInt8(ascii: "\r"): bytes += Array(#"\r"#.utf8)
            default: bytes.append(byte)
            }
        }
    }

    private static func cell(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
        if bytes.elementsEqual(#"\N"#.utf8) { return nil }
        var plain: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                switch byte {
                case UInt8(ascii: "t"): plain.append(UInt8(ascii: "\t"))
                case UInt8(ascii: "n"): plain.append(UInt8(ascii: "\n"))
                case UInt8(ascii: "r"): plain.append(UInt8(ascii: "\r"))
                default: plain.append(byte)
                }
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                plain.append(byte)
            }
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
