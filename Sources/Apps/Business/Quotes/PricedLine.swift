import Swiftlet

/// A line that costs its quantity times its price, to the cent, in each column of `totals`. Prices have as many decimals.
@ResourceBuilder
func pricedLine(_ totals: String..., decimals: Int = 2) -> [ResourceRule] {
    Required("description")
    Before(.create) { line, _ in
        let quantity = line["quantity"] ?? 1
        guard let count = quantity.int, (0...maximumQuantity).contains(count) else {
            // What is no whole number at all is refused by the column.
            if quantity.int == nil { return }
            throw line.refusal(of: "quantity", "must be between 0 and \(maximumQuantity)")
        }
        guard let number = (line["unit_price"] ?? 0).number else { return }
        guard let price = Cents.units(number, decimals: decimals),
            let total = Cents(price: price, decimals: decimals, quantity: count)
        else { throw line.refusal(of: "unit_price", "is out of range") }
        for column in totals { line[column] = total.amount }
    }
}

private let maximumQuantity = 1_000_000
