/// Why a text is not JSON, and where.
///
/// Safe to show to whoever sent the text: it repeats none of it.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: String, Hashable, Sendable {
        case unexpectedEnd = "the text ends too early"
        case unexpectedByte = "unexpected character"
        case trailingBytes = "characters after the value"
        case byteOrderMark = "byte order mark"
        case invalidLiteral = "unknown word"
        case invalidNumber = "malformed number"
        case invalidEscape = "malformed escape sequence"
        case loneSurrogate = "half of a surrogate pair"
        case controlCharacter = "control character in a string"
        case invalidUTF8 = "invalid UTF-8"
        case tooDeep = "nested too deeply"
    }

    public let reason: Reason
    /// Bytes before the fault.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
