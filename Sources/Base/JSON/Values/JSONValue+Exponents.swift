extension JSONValue {
    /// The number of digits that the exponents of all its numbers represent: 9 for `1e9`, 12 for `[1e9, 1e-3]`.
    ///
    /// PostgreSQL's jsonb stores numbers as numeric and prints them without exponents (manual §8.14), so that a few
    /// bytes become 131 000, and a body within its limit gigabytes. Code that stores a client's JSON limits this sum.
    package var exponentDigits: Int {
        switch self {
        case .null, .bool, .string: 0
        case .number(let number): number.exponentDigits
        case .array(let values): values.reduce(0) { $0 + $1.exponentDigits }
        case .object(let object): object.reduce(0) { $0 + $1.value.exponentDigits }
        }
    }
}

extension JSONNumber {
    /// More digits than numeric has. The sum over any body still fits into an `Int`.
    private static let maximumExponent: UInt = 1_000_000

    fileprivate var exponentDigits: Int {
        guard let mark = text.utf8.lastIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return 0 }
        let exponent = Int(text[text.utf8.index(after: mark)...]) ?? .max
        return Int(min(exponent.magnitude, Self.maximumExponent))
    }
}
