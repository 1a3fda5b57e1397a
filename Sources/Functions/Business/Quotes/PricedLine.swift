import Swiftlet

/// A line that costs its quantity times its price, to the cent.
@ListBuilder<ResourceRule>
func pricedLine() -> [ResourceRule] {
    required("description")
    readOnly("total_price")
    before(.create) { line, _ in
        let quantity = line["quantity"] ?? 1
        guard let count = quantity.int, (0...maximumQuantity).contains(count) else {
            // What is no whole number at all is refused by the column.
            if quantity.int == nil { return }
            throw line.refusal(of: "quantity", "must be between 0 and \(maximumQuantity)")
        }
        let price = line["unit_price"] ?? 0
        guard let number = price.number else { return }
        guard let cents = cents(number) else { throw line.refusal(of: "unit_price", "is out of range") }
        let (total, overflows) = cents.multipliedReportingOverflow(by: count)
        guard !overflows, abs(total) <= maximumCents else { throw line.refusal(of: "unit_price", "is out of range") }
        line["unit_price"] = amount(cents)
        line["total_price"] = amount(total)
    }
}

private let maximumQuantity = 1_000_000

/// What `numeric(10, 2)` holds.
private let maximumCents = 99_999_999_99

/// Rounded half away from zero, as PostgreSQL does; nil for more than ``maximumCents``.
private func cents(_ number: JSONNumber) -> Int? {
    guard abs(number.double) < 100_000_000 else { return nil }
    let text = number.text.lowercased()
    guard !text.contains("e") else { return Int((number.double * 100).rounded()) }
    let parts = text.drop { $0 == "-" }.split(separator: ".")
    let digits = (parts.count > 1 ? parts[1] : "") + "000"
    guard let whole = Int(parts[0]), let thousandths = Int(digits.prefix(3)) else { return nil }
    let cents = whole * 100 + (thousandths + 5) / 10
    return text.hasPrefix("-") ? -cents : cents
}

/// `1250` → `12.50`.
private func amount(_ cents: Int) -> JSONValue {
    let (whole, rest) = abs(cents).quotientAndRemainder(dividingBy: 100)
    let text = "\(cents < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
    return JSONNumber(text: text).map(JSONValue.number) ?? .null
}
