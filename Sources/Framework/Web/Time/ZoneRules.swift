/// The offsets of a time zone, as a file of the database has them (TZif, RFC 9636): those that there were, and the rule
/// of those to come.
struct ZoneRules: Sendable {
    /// When an offset begins, in seconds since 1970, ascending.
    private let starts: [Int]
    /// The offset before the first start, and one for each.
    private let offsets: [Int]
    /// What counts after the last start; nil where its offset stays.
    private let rule: YearlyRule?

    static let utc = ZoneRules()

    private init() { (starts, offsets, rule) = ([], [0], nil) }

    /// nil for what is no such file.
    init?(file: [UInt8]) {
        var reader = ZoneFileReader(file)
        // The first part has times of 32 bits, and is repeated with times of 64 bits since version 2.
        guard let first = reader.counts() else { return nil }
        if first.version >= UInt8(ascii: "2") {
            guard reader.skip(first.bytes(timeBytes: 4)), let second = reader.counts() else { return nil }
            guard let (starts, offsets) = reader.offsets(second, timeBytes: 8), let footer = reader.footer() else {
                return nil
            }
            (self.starts, self.offsets) = (starts, offsets)
            rule = YearlyRule(footer)
            guard rule != nil || footer.isEmpty else { return nil }
        } else {
            guard let (starts, offsets) = reader.offsets(first, timeBytes: 4) else { return nil }
            (self.starts, self.offsets, rule) = (starts, offsets, nil)
        }
    }

    /// Seconds east of UTC at a time, in seconds since 1970.
    func offset(at seconds: Int) -> Int {
        if let rule, seconds >= starts.last ?? .min { return rule.offset(at: seconds) }
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= seconds { low = middle + 1 } else { high = middle }
        }
        return offsets[low]
    }
}
