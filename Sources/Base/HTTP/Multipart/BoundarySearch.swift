/// Finds a boundary with the line end and the dashes before it, as Boyer, Moore and Horspool do: most bytes are skipped.
struct BoundarySearch: Sendable {
    private let pattern: [UInt8]
    /// How far the pattern may move on, by the byte below its end.
    private let steps: [Int]

    var count: Int { pattern.count }

    /// nil unless it is 1 to 70 of the characters of a boundary, the last one no space (RFC 2046 §5.1.1).
    init?(_ boundary: String) {
        guard (1...70).contains(boundary.utf8.count), boundary.utf8.last != UInt8(ascii: " "),
            boundary.utf8.allSatisfy(Self.isBoundaryByte)
        else { return nil }
        pattern = Array("\r\n--\(boundary)".utf8)
        var steps = [Int](repeating: pattern.count, count: 256)
        for (index, byte) in pattern.dropLast().enumerated() { steps[Int(byte)] = pattern.count - 1 - index }
        self.steps = steps
    }

    func find(in bytes: borrowing Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index + pattern.count <= bytes.count {
            if matches(bytes, at: index, pattern.count) { return index }
            index += steps[Int(bytes[index + pattern.count - 1])]
        }
        return nil
    }

    /// Where the pattern may have begun in bytes that do not contain it, or their end.
    func possibleStart(in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = max(start, bytes.count - pattern.count + 1)
        while index < bytes.count, !matches(bytes, at: index, bytes.count - index) { index += 1 }
        return index
    }

    private func matches(_ bytes: borrowing Span<UInt8>, at index: Int, _ length: Int) -> Bool {
        var offset = 0
        while offset < length, bytes[index + offset] == pattern[offset] { offset += 1 }
        return offset == length
    }

    private static func isBoundaryByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "'()+_,-./:=? ".utf8.contains(byte)
        }
    }
}
