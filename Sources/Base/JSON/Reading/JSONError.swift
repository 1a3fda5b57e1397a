/// Why a text is not JSON, and where.
///
/// Safe to show to the sender: it repeats nothing of the text.
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
    /// The number of bytes before the error.
    public let offset: Int

    public init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    public var description: String { "\(reason.rawValue) at byte \(offset)" }
}
