extension JSONValue {
    /// How many digits the exponents of all its numbers stand for: 9 for `1e9`, 12 for `[1e9, 1e-3]`.
    ///
    /// PostgreSQL's jsonb keeps numbers as numeric and writes them in full (PostgreSQL 8.14): nine bytes so become
    /// 131 000, and a body within its limit gigabytes. Whoever stores a client's JSON bounds this.
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
    /// More than numeric has; so that a sum over any body stays an `Int`.
    private static let maximumExponent: UInt = 1_000_000

    fileprivate var exponentDigits: Int {
        guard let mark = text.utf8.lastIndex(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return 0 }
        let exponent = Int(text[text.utf8.index(after: mark)...]) ?? .max
        return Int(min(exponent.magnitude, Self.maximumExponent))
    }
}
