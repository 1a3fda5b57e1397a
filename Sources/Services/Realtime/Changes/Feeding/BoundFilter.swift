import SwiftletJSON

/// A filter whose values PostgreSQL has read as those of their columns.
struct BoundFilter: Equatable, Sendable {
    struct Condition: Equatable, Sendable {
        let column: String
        let comparison: ChangeFilter.Comparison
        let values: [JSONValue]
    }

    var conditions: [Condition] = []

    static let none = BoundFilter()

    /// Whether a row passes. Null passes nothing, and neither does a column that is not there.
    func passes(_ row: JSONObject) -> Bool { conditions.allSatisfy { Self.passes(row[$0.column], $0) } }

    /// The columns that a row must have.
    var columns: Set<String> { Set(conditions.map(\.column)) }

    private static func passes(_ value: JSONValue?, _ condition: Condition) -> Bool {
        guard let value, !value.isNull else { return false }
        return condition.values.contains { wanted in
            switch condition.comparison {
            case .eq, .in: isEqual(value, wanted)
            case .neq: !isEqual(value, wanted)
            case .lt: isLess(value, wanted)
            case .lte: isLess(value, wanted) || isEqual(value, wanted)
            case .gt: isLess(wanted, value)
            case .gte: isLess(wanted, value) || isEqual(value, wanted)
            }
        }
    }

    static func isEqual(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        // Digits that differ may be the same number: 1.50 and 1.5.
        case (.number(let left), .number(let right)): left == right || Decimal(left) == Decimal(right)
        default: left == right
        }
    }

    /// Numbers by value; texts, and times in one format, by their bytes.
    static func isLess(_ left: JSONValue, _ right: JSONValue) -> Bool {
        switch (left, right) {
        case (.number(let left), .number(let right)): Decimal(left) < Decimal(right)
        case (.string(let left), .string(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.bool(let left), .bool(let right)): !left && right
        default: false
        }
    }
}

/// The value of a JSON number of any length, for comparisons.
private struct Decimal: Comparable {
    private let isNegative: Bool
    /// The digits without zeros at either end, and where the point is: 0.d₁d₂… × 10^exponent.
    private let digits: [UInt8]
    private let exponent: Int

    init(_ number: JSONNumber) {
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        var text = Substring(number.text)
        isNegative = text.hasPrefix("-")
        if let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            let shown = text[text.index(after: mark)...]
            // Nothing that PostgreSQL prints has a larger one.
            exponent = max(-1_000_000, min(1_000_000, Int(shown) ?? (shown.hasPrefix("-") ? -1_000_000 : 1_000_000)))
            text = text[..<mark]
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: ".") { point = digits.count }
            if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { digits.append(byte) }
        }
        exponent += point ?? digits.count
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        digits.removeFirst(zeros)
        exponent -= zeros
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        self.digits = digits
        self.exponent = digits.isEmpty ? 0 : exponent
    }

    static func == (left: Decimal, right: Decimal) -> Bool { !(left < right) && !(right < left) }

    static func < (left: Decimal, right: Decimal) -> Bool {
        switch (left.sign, right.sign) {
        case (let a, let b) where a != b: a < b
        case (0, _): false
        case (1, _): left.isShorter(than: right)
        default: right.isShorter(than: left)
        }
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    private func isShorter(than other: Decimal) -> Bool {
        exponent == other.exponent ? digits.lexicographicallyPrecedes(other.digits) : exponent < other.exponent
    }
}
