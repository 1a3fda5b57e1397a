import SwiftletHTTP

/// The query of a read without the values that its filters compare with: reads that differ in nothing else have one
/// plan.
///
/// Only values of plain comparisons, `age=gte.18`, are taken out: they are bound as they are, whatever they say.
struct QueryKey {
    /// The query with a mark in place of each value. A query itself, whose plan tells where the values go.
    private(set) var text: [UInt8] = []
    private(set) var values: [String] = []

    /// Longer ones are hardly asked twice.
    private static let maximumBytes = 2048

    /// nil for a query whose plan should not be kept.
    init?(_ query: String) {
        let bytes = Array(query.utf8)
        guard bytes.count <= Self.maximumBytes else { return nil }
        text.reserveCapacity(bytes.count + 16)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.count
            guard add(bytes[start..<end]) else { return nil }
            if end < bytes.count { text.append(UInt8(ascii: "&")) }
            start = end + 1
        }
    }

    /// The mark of a value, as it is after decoding.
    static func mark(_ index: Int) -> String { "\u{1}\(index)" }

    private mutating func add(_ pair: ArraySlice<UInt8>) -> Bool {
        // Such a byte could be taken for a mark.
        guard !pair.contains(1), !Self.hasMark(pair) else { return false }
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
            let dot = pair[equals...].firstIndex(of: UInt8(ascii: ".")),
            Self.isComparison(pair[(equals + 1)..<dot]), Self.isPlainName(pair[..<equals])
        else {
            text += pair
            return true
        }
        let value = Array(pair[(dot + 1)...])
        text += pair[...dot]
        text += [UInt8(ascii: "%"), UInt8(ascii: "0"), UInt8(ascii: "1")]
        text += String(values.count).utf8
        values.append(PercentCoding.decode(value.span, value.indices, plusIsSpace: true))
        return true
    }

    /// `%01`
    private static func hasMark(_ pair: ArraySlice<UInt8>) -> Bool {
        var rest = pair
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[(percent + 1)...]
            if rest.starts(with: [UInt8(ascii: "0"), UInt8(ascii: "1")]) { return true }
        }
        return false
    }

    private static func isComparison(_ word: ArraySlice<UInt8>) -> Bool {
        comparisons.contains { word.elementsEqual($0) }
    }

    private static let comparisons = ["eq", "neq", "gt", "gte", "lt", "lte"].map { Array($0.utf8) }

    /// A path of names without quotes and escapes whose last one means nothing else than a column.
    private static func isPlainName(_ name: ArraySlice<UInt8>) -> Bool {
        guard !name.isEmpty, !name.contains(UInt8(ascii: "%")), !name.contains(UInt8(ascii: "\"")) else { return false }
        let word = name.split(separator: UInt8(ascii: ".")).last ?? []
        return !reserved.contains { word.elementsEqual($0) }
    }

    private static let reserved = [
        "select", "order", "limit", "offset", "and", "or", "columns", "on_conflict", "apikey", "forceFunctionRegion",
    ].map { Array($0.utf8) }
}
