extension JSONNumber {
    /// The value, when it is a whole number that `Int` can hold, as `1e3` and `10.0` are.
    ///
    /// Exact: no double is involved. Takes time linear in the length of the text, whatever the exponent is.
    public var int: Int? {
        let bytes = text.utf8.span
        // The digits up to the last one that is not zero; the zeros after it are only counted.
        var significant: UInt = 0
        var trailingZeros = 0
        var fractionDigits = 0
        var isFraction = false
        var index = bytes[0] == UInt8(ascii: "-") ? 1 : 0
        while index < bytes.count, bytes[index] | 0x20 != UInt8(ascii: "e") {
            defer { index &+= 1 }
            if bytes[index] == UInt8(ascii: ".") {
                isFraction = true
                continue
            }
            if isFraction { fractionDigits &+= 1 }
            let digit = UInt(bytes[index] &- UInt8(ascii: "0"))
            if digit != 0 {
                // With more digits than fit, it is either too large or not whole.
                guard let shifted = Self.multiply(significant, byPowerOfTen: trailingZeros &+ 1) else { return nil }
                let (sum, overflow) = shifted.addingReportingOverflow(digit)
                guard !overflow else { return nil }
                significant = sum
                trailingZeros = 0
            } else if significant != 0 {
                trailingZeros &+= 1
            }
        }
        guard significant != 0 else { return 0 }
        let power = trailingZeros &- fractionDigits &+ Self.exponent(in: bytes, from: index)
        guard let magnitude = Self.multiply(significant, byPowerOfTen: power) else { return nil }
        if bytes[0] == UInt8(ascii: "-") {
            return magnitude <= Int.min.magnitude ? Int(bitPattern: 0 &- magnitude) : nil
        }
        return Int(exactly: magnitude)
    }

    /// Nil when the power is negative or the product does not fit.
    private static func multiply(_ value: UInt, byPowerOfTen power: Int) -> UInt? {
        if value == 0 { return power >= 0 ? 0 : nil }
        guard (0...19).contains(power) else { return nil }
        var product = value
        for _ in 0..<power {
            let (next, overflow) = product.multipliedReportingOverflow(by: 10)
            guard !overflow else { return nil }
            product = next
        }
        return product
    }

    /// The exponent whose `e` is at `start`, zero without one; clamped to ±2⁴⁰, more than a text can have digits.
    private static func exponent(in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
        var index = start &+ 1
        guard index < bytes.count else { return 0 }
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative || bytes[index] == UInt8(ascii: "+") { index &+= 1 }
        var magnitude = 0
        while index < bytes.count {
            magnitude = min(magnitude &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0")), 1 << 40)
            index &+= 1
        }
        return isNegative ? -magnitude : magnitude
    }
}
