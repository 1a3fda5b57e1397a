/// A type that can be read from a column's text.
///
/// The text is what `SELECT` prints for the value: `t` and `f` for booleans, `{a,b}` for arrays.
public protocol SQLDecodable {
    /// nil when the text is not such a value.
    init?(sqlText: borrowing Span<UInt8>)
}

extension String: SQLDecodable {
    public init?(sqlText: borrowing Span<UInt8>) {
        self = unsafe sqlText.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}

extension Int: SQLDecodable {
    public init?(sqlText: borrowing Span<UInt8>) {
        guard let text = String(sqlText: sqlText), let value = Int(text) else { return nil }
        self = value
    }
}

extension Double: SQLDecodable {
    public init?(sqlText: borrowing Span<UInt8>) {
        guard let text = String(sqlText: sqlText), let value = Double(text) else { return nil }
        self = value
    }
}

extension Bool: SQLDecodable {
    public init?(sqlText: borrowing Span<UInt8>) {
        guard sqlText.count == 1, sqlText[0] == UInt8(ascii: "t") || sqlText[0] == UInt8(ascii: "f") else { return nil }
        self = sqlText[0] == UInt8(ascii: "t")
    }
}

/// A one-dimensional array without NULL elements.
extension Array: SQLDecodable where Element: SQLDecodable {
    public init?(sqlText: borrowing Span<UInt8>) {
        guard let texts = ArrayLiteral.parse(sqlText) else { return nil }
        self = []
        for text in texts {
            guard let text, let element = Element(sqlText: text.span) else { return nil }
            append(element)
        }
    }
}
