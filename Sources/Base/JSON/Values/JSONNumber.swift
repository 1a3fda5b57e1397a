import SwiftletBytes

/// A JSON number that keeps all its digits.
///
/// It stores the text that was read and is written again, so that `1200.00` stays `1200.00` and a `numeric` or `bigint`
/// loses no precision. Two numbers are equal when their texts are: `1` and `1.0` differ.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// A number in the grammar of RFC 8259 §6.
    public let text: String

    public init(_ value: Int) { text = String(value) }

    /// Takes the shortest digits that read back as `value`; whole numbers up to 2⁵³ have no fraction part.
    ///
    /// Nil for NaN and infinities, which JSON cannot represent.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        if value.magnitude <= 0x1p53, Double(Int(value)) == value, value != 0 || value.sign == .plus {
            text = String(Int(value))
        } else {
            text = value.description
        }
    }

    /// Nil unless the whole text is a JSON number.
    public init?(text: String) {
        let utf8 = text.utf8.span
        guard !utf8.isEmpty, Self.length(in: utf8, at: 0) == utf8.count else { return nil }
        self.text = text
    }

    /// For text that ``length(in:at:)`` has accepted.
    init(validated text: String) { self.text = text }

    public var description: String { text }

    /// The nearest double; an infinity or zero beyond its range.
    public var double: Double { Double(text) ?? .nan }

    /// The length of the number at `start`; nil when there is none by the grammar of RFC 8259 §6.
    ///
    /// Callers check what follows: in `01` it finds `0`.
    static func length(in bytes: borrowing Span<UInt8>, at start: Int) -> Int? {
        var index = start
        if index < bytes.count, bytes[index] == UInt8(ascii: "-") { index &+= 1 }
        guard index < bytes.count else { return nil }
        if bytes[index] == UInt8(ascii: "0") {
            index &+= 1
        } else {
            guard skipDigits(in: bytes, from: &index) else { return nil }
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index &+= 1
            guard skipDigits(in: bytes, from: &index) else { return nil }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index &+= 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index &+= 1
            }
            guard skipDigits(in: bytes, from: &index) else { return nil }
        }
        return index &- start
    }

    /// Moves `index` past a run of digits; false when there is none.
    @inline(__always)
    private static func skipDigits(in bytes: borrowing Span<UInt8>, from index: inout Int) -> Bool {
        let start = index
        while index < bytes.count, isDecimalDigit(bytes[index]) { index &+= 1 }
        return index > start
    }
}
