import SwiftletBytes
import SwiftletPostgres
import SwiftletWeb

/// How a column's values are checked on the way in and written on the way out.
///
/// The schema cache decides, not the code: `tags` may be `text[]` in one database and `jsonb` in the next.
indirect enum ColumnKind: Hashable, Sendable {
    case text(maximumLength: Int?)
    case uuid
    case integer(ClosedRange<Int>)
    case numeric
    case float
    case bool
    case timestamp
    case timestampWithZone
    case date
    case time
    case json
    case bytea
    case enumeration([String])
    case array(ColumnKind)
    case other
}

extension ColumnKind {
    /// The text form PostgreSQL takes for `value`, nil for SQL NULL.
    func parameter(for value: JSONValue) throws(ValueFault) -> String? {
        if keepsExponents, value.exponentDigits > Self.maximumExponentDigits {
            throw ValueFault(reason: "has numbers with too many digits")
        }
        return try text(of: value)
    }

    /// Whether PostgreSQL stores `1e131000` in a few bytes and prints it in full.
    private var keepsExponents: Bool {
        switch self {
        case .numeric, .json, .other: true
        case .array(let element): element.keepsExponents
        default: false
        }
    }

    /// Limit for one value. A hundred of the largest doubles need half of it.
    private static var maximumExponentDigits: Int { 65_536 }

    private func text(of value: JSONValue) throws(ValueFault) -> String? {
        switch (self, value) {
        case (_, .null): nil
        case (.json, _): try jsonText(value)
        case (.text(let maximumLength), .string(let text)): try checked(text, maximumLength: maximumLength)
        case (.integer(let range), .number(let number)): try integerText(number, in: range)
        case (.numeric, .number(let number)): number.text
        case (.float, .number(let number)): try floatText(number)
        case (.bool, .bool(let flag)): flag ? "t" : "f"
        case (.array(let element), .array(let elements)): ArrayLiteral.text(try texts(of: elements, element))
        case (.uuid, .string(let text)), (.timestamp, .string(let text)), (.timestampWithZone, .string(let text)),
            (.date, .string(let text)), (.time, .string(let text)), (.bytea, .string(let text)),
            (.enumeration, .string(let text)), (.other, .string(let text)):
            try parameter(forText: text)
        case (.other, .number(let number)): number.text
        default: throw ValueFault(reason: "must be \(noun)")
        }
    }

    /// The same for a value from a path or query, where everything is text.
    func parameter(forText text: String) throws(ValueFault) -> String {
        let isValid =
            switch self {
            case .text, .other, .json, .array: true
            case .uuid: UUIDText.isValid(text)
            case .integer(let range): Int(text).map(range.contains) ?? false
            case .numeric, .float: JSONNumber(text: text) != nil
            case .bool: ["true", "false", "t", "f", "1", "0"].contains(text)
            case .timestamp, .timestampWithZone, .date: TimestampText.isTimestamp(text)
            case .time: TimestampText.isTime(text)
            case .bytea: Self.isHexadecimal(text)
            case .enumeration(let labels): labels.contains(text)
            }
        guard isValid else { throw ValueFault(reason: "must be \(noun)") }
        return try checked(hasFraction ? TimestampText.cut(text) : text, maximumLength: nil)
    }

    /// Whether a value may have a fraction of a second.
    private var hasFraction: Bool {
        switch self {
        case .timestamp, .timestampWithZone, .date, .time: true
        default: false
        }
    }

    /// `\x` and two digits for each byte (PostgreSQL manual, 8.4.1).
    private static func isHexadecimal(_ text: String) -> Bool {
        text.hasPrefix("\\x") && text.utf8.count.isMultiple(of: 2)
            && text.dropFirst(2).allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    var isTimestamp: Bool {
        switch self {
        case .timestamp, .timestampWithZone: true
        default: false
        }
    }

    var isInteger: Bool {
        if case .integer = self { true } else { false }
    }

    /// Whether PostgreSQL compares the two without a cast.
    func isComparable(to other: ColumnKind) -> Bool {
        switch (self, other) {
        case (.text, .text), (.integer, .integer): true
        default: self == other
        }
    }

    /// PostgreSQL's text cannot hold U+0000 (manual, 8.3); lengths of `varchar(n)` count code points.
    private func checked(_ text: String, maximumLength: Int?) throws(ValueFault) -> String {
        if text.hasNullCharacter { throw ValueFault(reason: "must not contain the character U+0000") }
        if let maximumLength, text.utf8.count > maximumLength, text.unicodeScalars.count > maximumLength {
            throw ValueFault(reason: "must be at most \(maximumLength) characters")
        }
        return text
    }

    private func integerText(_ number: JSONNumber, in range: ClosedRange<Int>) throws(ValueFault) -> String {
        let integer = number.int
        if let integer, range.contains(integer) { return String(integer) }
        let isBeyond =
            integer != nil || number.double >= Double(range.upperBound) || number.double <= Double(range.lowerBound)
        throw ValueFault(
            reason: isBeyond ? "must be between \(range.lowerBound) and \(range.upperBound)" : "must be \(noun)"
        )
    }

    private func floatText(_ number: JSONNumber) throws(ValueFault) -> String {
        guard number.double.isFinite else { throw ValueFault(reason: "is out of range") }
        return number.text
    }

    private func jsonText(_ value: JSONValue) throws(ValueFault) -> String {
        var writer = JSONWriter()
        writer.write(value)
        let text = String(decoding: writer.finish(), as: UTF8.self)
        // jsonb refuses U+0000 as text does (manual, 8.14); the writer can only have spelled it \u0000.
        if value.containsNullCharacter { throw ValueFault(reason: "must not contain the character U+0000") }
        return text
    }

    private func texts(of elements: [JSONValue], _ kind: ColumnKind) throws(ValueFault) -> [String?] {
        var texts: [String?] = []
        texts.reserveCapacity(elements.count)
        for element in elements {
            do throws(ValueFault) {
                texts.append(try kind.text(of: element))
            } catch {
                throw ValueFault(reason: "each element \(error.reason)")
            }
        }
        return texts
    }

    /// "must be …".
    private var noun: String {
        switch self {
        case .text, .other: "a text"
        case .uuid: "a UUID"
        case .integer: "a whole number"
        case .numeric, .float: "a number"
        case .bool: "true or false"
        case .timestamp, .timestampWithZone: "an ISO 8601 time such as 2024-01-15T10:30:00Z"
        case .date: "a date such as 2024-01-15"
        case .time: "a time such as 10:30:00"
        case .json: "JSON"
        case .bytea: "bytes in hexadecimal, such as \\x00ff"
        case .enumeration(let labels): "one of " + labels.joined(separator: ", ")
        case .array: "a list"
        }
    }
}

extension ColumnKind {
    /// Whether a value has elements of its own: a list, or JSON.
    var holdsElements: Bool {
        switch self {
        case .json, .array: !needsJSONExpression
        default: false
        }
    }

    /// Whether a value is a time, or may be made of some.
    var mayHoldTimes: Bool {
        switch self {
        case .timestamp, .timestampWithZone, .date, .other: true
        case .array(let element): element.mayHoldTimes
        default: false
        }
    }

    /// Whether PostgreSQL must convert the value to JSON, because its text form is not known here.
    var needsJSONExpression: Bool {
        switch self {
        case .other: true
        case .array(.other), .array(.array), .array(.json), .array(.bytea): true
        default: false
        }
    }
}

extension JSONValue {
    fileprivate var containsNullCharacter: Bool {
        switch self {
        case .string(let text): text.hasNullCharacter
        case .array(let elements): elements.contains(where: \.containsNullCharacter)
        case .object(let object): object.contains { $0.name.hasNullCharacter || $0.value.containsNullCharacter }
        default: false
        }
    }
}

extension String {
    fileprivate var hasNullCharacter: Bool {
        let bytes = utf8.span
        for index in bytes.indices where bytes[index] == 0 { return true }
        return false
    }
}
