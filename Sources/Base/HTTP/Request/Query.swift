/// Pairs of names and values in the format of HTML forms, `application/x-www-form-urlencoded`: `a=1&b=x+y%21`.
///
/// A name without `=` has an empty value. Names match byte for byte after decoding.
public struct Query: Sendable {
    private let bytes: [UInt8]
    private let range: Range<Int>

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// Takes encoded text, for instance the body of a form.
    public init(_ encoded: String) {
        self.init(Array(encoded.utf8))
    }

    public init(_ encoded: [UInt8]) {
        self.init(encoded, encoded.indices)
    }

    /// True when there is no pair.
    public var isEmpty: Bool {
        var pairs = makeIterator()
        return pairs.nextRanges() == nil
    }

    /// The value of a name, the last one when there are several.
    public subscript(name: String) -> String? {
        var found: Range<Int>?
        forEachValue(of: name) { found = $0 }
        return found.map { PercentCoding.decode(bytes.span, $0, plusIsSpace: true) }
    }

    /// Every value of a name, in order.
    public func all(_ name: String) -> [String] {
        var values: [String] = []
        forEachValue(of: name) { values.append(PercentCoding.decode(bytes.span, $0, plusIsSpace: true)) }
        return values
    }

    /// Every name once, in order of first appearance.
    public var names: [String] {
        var seen: Set<String> = []
        return map(\.name).filter { seen.insert($0).inserted }
    }

    private func forEachValue(of name: String, _ body: (Range<Int>) -> Void) {
        var name = name
        name.withUTF8 { wanted in
            var pairs = makeIterator()
            while let pair = pairs.nextRanges() {
                if unsafe PercentCoding.equals(bytes.span, pair.name, plusIsSpace: true, to: wanted.span) {
                    body(pair.value)
                }
            }
        }
    }
}

extension Query: Sequence {
    public struct Iterator: IteratorProtocol {
        private let bytes: [UInt8]
        private var position: Int
        private let end: Int

        fileprivate init(_ bytes: [UInt8], _ range: Range<Int>) {
            self.bytes = bytes
            position = range.lowerBound
            end = range.upperBound
        }

        /// The next pair, decoded.
        public mutating func next() -> (name: String, value: String)? {
            guard let pair = nextRanges() else { return nil }
            return (
                PercentCoding.decode(bytes.span, pair.name, plusIsSpace: true),
                PercentCoding.decode(bytes.span, pair.value, plusIsSpace: true)
            )
        }

        fileprivate mutating func nextRanges() -> (name: Range<Int>, value: Range<Int>)? {
            while position < end, bytes[position] == UInt8(ascii: "&") { position += 1 }
            guard position < end else { return nil }
            let start = position
            var equals: Int?
            while position < end, bytes[position] != UInt8(ascii: "&") {
                if equals == nil, bytes[position] == UInt8(ascii: "=") { equals = position }
                position += 1
            }
            guard let equals else { return (start..<position, position..<position) }
            return (start..<equals, (equals + 1)..<position)
        }
    }

    public func makeIterator() -> Iterator {
        Iterator(bytes, range)
    }
}
