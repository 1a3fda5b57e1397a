/// Which lines of the log an operator wants, each a JSON object.
struct LineFilter: Sendable {
    /// All must be in the line.
    let words: [[UInt8]]
    /// The least status; 0 for lines without one too.
    let status: Int
    /// One must be in the line; nil for any.
    let levels: [[UInt8]]?
    /// What the console itself has asked for is shown too.
    let showsConsole: Bool

    private static let ownLine = Array(#""function":"console""#.utf8)

    func isPassed(by line: [UInt8]) -> Bool {
        if !showsConsole, line.contains(ofBytes: Self.ownLine) { return false }
        if status > 0, (Self.status(of: line) ?? 0) < status { return false }
        if let levels, !levels.contains(where: { line.contains(ofBytes: $0) }) { return false }
        return words.allSatisfy { line.contains(ofBytes: $0) }
    }

    private static func status(of line: [UInt8]) -> Int? {
        let mark = Array(#""status":"#.utf8)
        guard let start = line.position(ofBytes: mark) else { return nil }
        return Int(String(decoding: line[(start + mark.count)...].prefix { (48...57).contains($0) }, as: UTF8.self))
    }
}

extension [UInt8] {
    fileprivate func contains(ofBytes needle: [UInt8]) -> Bool { position(ofBytes: needle) != nil }

    fileprivate func position(ofBytes needle: [UInt8]) -> Int? {
        guard let first = needle.first, count >= needle.count else { return nil }
        for start in 0...(count - needle.count) where self[start] == first {
            if self[start..<(start + needle.count)].elementsEqual(needle) { return start }
        }
        return nil
    }
}
