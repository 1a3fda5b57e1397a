/// Reads the parts of a TZif file in their order (RFC 9636 §3). Each size is checked against the file.
struct ZoneFileReader {
    private var rest: ArraySlice<UInt8>

    init(_ file: [UInt8]) { rest = file[...] }

    /// The numbers of a header (§3.1).
    struct Counts {
        let version: UInt8
        let utcMarks: Int
        let standardMarks: Int
        let leapSeconds: Int
        let times: Int
        let types: Int
        let characters: Int

        /// The size of the data block that follows.
        func bytes(timeBytes: Int) -> Int {
            times * (timeBytes + 1) + types * 6 + bytesAfterTypes(timeBytes: timeBytes)
        }

        func bytesAfterTypes(timeBytes: Int) -> Int {
            characters + leapSeconds * (timeBytes + 4) + standardMarks + utcMarks
        }
    }

    mutating func counts() -> Counts? {
        guard rest.starts(with: "TZif".utf8), skip(4), let version = number(bytes: 1), skip(15) else { return nil }
        var counts: [Int] = []
        for _ in 0..<6 {
            // More would be more than the file, whatever it counts.
            guard let count = number(bytes: 4), (0...1 << 20).contains(count) else { return nil }
            counts.append(count)
        }
        return Counts(
            version: UInt8(truncatingIfNeeded: version),
            utcMarks: counts[0],
            standardMarks: counts[1],
            leapSeconds: counts[2],
            times: counts[3],
            types: counts[4],
            characters: counts[5]
        )
    }

    mutating func skip(_ count: Int) -> Bool {
        guard count <= rest.count else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// The transitions of a data block (§3.2), and the offset of the first type before them.
    mutating func offsets(_ counts: Counts, timeBytes: Int) -> (starts: [Int], offsets: [Int])? {
        guard counts.types > 0, counts.bytes(timeBytes: timeBytes) <= rest.count else { return nil }
        let starts = (0..<counts.times).compactMap { _ in number(bytes: timeBytes) }
        let types = (0..<counts.times).compactMap { _ in number(bytes: 1, isSigned: false) }
        var offsets: [Int] = []
        for _ in 0..<counts.types {
            // Its offset, whether it is summer time, the place of its abbreviation.
            guard let offset = number(bytes: 4), abs(offset) < 86_400 * 2, skip(2) else { return nil }
            offsets.append(offset)
        }
        guard skip(counts.bytesAfterTypes(timeBytes: timeBytes)), types.allSatisfy({ $0 < offsets.count }),
            zip(starts, starts.dropFirst()).allSatisfy(<)
        else { return nil }
        return (starts, [offsets[0]] + types.map { offsets[$0] })
    }

    /// The rule between two line ends (§3.3).
    mutating func footer() -> String? {
        guard rest.first == UInt8(ascii: "\n"), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        return String(decoding: rest[..<end].dropFirst(), as: UTF8.self)
    }

    /// The next number, its most significant byte first.
    private mutating func number(bytes: Int, isSigned: Bool = true) -> Int? {
        guard bytes <= rest.count else { return nil }
        let bits = rest.prefix(bytes).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest = rest.dropFirst(bytes)
        let unused = UInt64(64 - bytes * 8)
        return isSigned ? Int(Int64(bitPattern: bits << unused) >> Int64(unused)) : Int(bits)
    }
}
