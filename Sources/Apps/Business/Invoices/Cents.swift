import Swiftlet

/// An amount of money as `numeric(…, 2)` holds it, below 10¹².
struct Cents: Equatable {
    private let count: Int

    init(_ count: Int) { self.count = count }

    /// Rounded half away from zero, as PostgreSQL does; nil for what is no number, or too large for the columns.
    init?(_ value: JSONValue?) {
        guard let units = value?.number.flatMap({ Self.units($0, decimals: 2) }) else { return nil }
        count = units
    }

    /// A price in units of as many decimals, times a quantity. nil if that is too large.
    init?(price: Int, decimals: Int, quantity: Int) {
        let (product, overflows) = price.multipliedReportingOverflow(by: quantity)
        guard !overflows else { return nil }
        var (scaled, scale) = (product, 1)
        for _ in 2..<max(decimals, 2) { scale *= 10 }
        scaled = (abs(product) + scale / 2) / scale
        guard scaled <= Self.maximum else { return nil }
        count = product < 0 ? -scaled : scaled
    }

    /// The number in units of its last decimal: 12.345 with three is 12345. nil if it is too large for any column.
    static func units(_ number: JSONNumber, decimals: Int) -> Int? {
        guard abs(number.double) < 1e12 else { return nil }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let text = number.text.lowercased()
        guard !text.contains("e") else { return Int((number.double * scale).rounded()) }
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        let fraction = (parts.count > 1 ? parts[1] : "") + String(repeating: "0", count: decimals + 1)
        guard let digits = Int(parts[0] + fraction.prefix(decimals + 1)) else { return nil }
        let units = (digits + 5) / 10
        return text.hasPrefix("-") ? -units : units
    }

    /// `12.50`
    var text: String {
        let (whole, rest) = abs(count).quotientAndRemainder(dividingBy: 100)
        return "\(count < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    }

    var amount: JSONValue { JSONNumber(text: text).map(JSONValue.number) ?? .null }

    static func + (left: Cents, right: Cents) -> Cents { Cents(left.count + right.count) }
    static func - (left: Cents, right: Cents) -> Cents { Cents(left.count - right.count) }

    /// nil if that is too large.
    static func * (left: Cents, right: Int) -> Cents? {
        let (product, overflows) = left.count.multipliedReportingOverflow(by: right)
        return overflows ? nil : Cents(product)
    }

    /// Rounded half away from zero.
    static func / (left: Cents, right: Int) -> Cents {
        let rounded = (abs(left.count) + right / 2) / right
        return Cents(left.count < 0 ? -rounded : rounded)
    }

    /// What `numeric(10, 2)` holds, as lines do.
    private static let maximum = 99_999_999_99
}
