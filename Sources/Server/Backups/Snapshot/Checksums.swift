/// The file `SHA256SUMS` of a backup, which `sha256sum --check` reads.
struct Checksums: Equatable {
    private let sums: [String: String]

    init(_ sums: [SnapshotPart: String]) {
        self.sums = Dictionary(uniqueKeysWithValues: sums.map { ($0.key.rawValue, $0.value) })
    }

    /// Throws ``BackupError/damaged(_:)`` for a text that is not byte for byte what ``text`` is.
    init(parsing bytes: [UInt8]) throws(BackupError) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var sums: [SnapshotPart: String] = [:]
        for (part, line) in zip(SnapshotPart.summed, lines) { sums[part] = String(line.prefix(64)) }
        self.init(sums)
        guard Array(text.utf8) == bytes else { throw .damaged("SHA256SUMS is no list of checksums") }
    }

    subscript(_ part: SnapshotPart) -> String? { sums[part.rawValue] }

    var text: String {
        SnapshotPart.summed.map { "\(sums[$0.rawValue] ?? "")  \($0.rawValue)\n" }.joined()
    }
}
