/// The non-empty segments of a path, decoded on access.
///
/// A percent-encoded slash does not separate segments: it belongs to its segment.
package struct PathSegments: Sendable {
    private let storage: RequestStorage
    /// Enough for usual paths, so that they take no allocation.
    private var first = InlineArray<8, ByteRange>(repeating: .none)
    private var others: [ByteRange] = []
    package private(set) var count = 0

    init(_ storage: RequestStorage) {
        self.storage = storage
        let path = storage.line.target.path
        let bytes = storage.head
        // `OPTIONS *` has a path without segments.
        guard !path.isEmpty, bytes[path.start] == UInt8(ascii: "/") else { return }
        var start = path.start &+ 1
        var index = start
        while index <= path.end {
            if index == path.end || bytes[index] == UInt8(ascii: "/") {
                if index > start { append(ByteRange(start, index)) }
                start = index &+ 1
            }
            index &+= 1
        }
    }

    /// False when the first segment certainly begins with none of these letters; an encoded first byte counts as a
    /// match.
    package func mayBegin(with letters: StaticString) -> Bool {
        let first = range(0)
        guard !first.isEmpty else { return false }
        let byte = storage.head[first.start]
        if byte == UInt8(ascii: "%") { return true }
        for index in 0..<letters.utf8CodeUnitCount where unsafe letters.utf8Start[index] == byte { return true }
        return false
    }

    /// The segment, percent-decoded.
    package subscript(index: Int) -> String {
        PercentCoding.decode(storage.head, range(index), plusIsSpace: false)
    }

    /// Whether the decoded segment is exactly this text; makes no `String`.
    @inline(__always)
    package func segment(_ index: Int, equals text: StaticString) -> Bool {
        let wanted = unsafe UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return unsafe segment(index, equals: wanted.span)
    }

    /// The same for an array of bytes.
    package func segment(_ index: Int, equals text: [UInt8]) -> Bool {
        segment(index, equals: text.span)
    }

    /// The path from the segment at `index` on, percent-decoded: what stands between the slashes stays as it is, also
    /// empty segments and a slash at the end. Empty if there is no such segment.
    package func rest(from index: Int) -> String {
        guard index < count else { return "" }
        // After the slash that ends the segment before, as the rest may begin with an empty one.
        let start = index == 0 ? range(0).start : range(index &- 1).end &+ 1
        return PercentCoding.decode(storage.head, start..<storage.line.target.path.end, plusIsSpace: false)
    }

    private func segment(_ index: Int, equals text: borrowing Span<UInt8>) -> Bool {
        PercentCoding.equals(storage.head, range(index).range, plusIsSpace: false, to: text)
    }

    private mutating func append(_ range: ByteRange) {
        if count < first.count { first[count] = range } else { others.append(range) }
        count &+= 1
    }

    private func range(_ index: Int) -> ByteRange {
        index < first.count ? first[index] : others[index &- first.count]
    }
}
