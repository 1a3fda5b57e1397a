/// Why content is not `multipart/form-data` (RFC 7578), or not within the limits.
public enum MultipartError: Error, Hashable, Sendable {
    /// The parameter `boundary` is missing or not 1 to 70 of its characters (RFC 2046 §5.1.1).
    case badBoundary
    /// Something other than a line end follows a boundary.
    case badDelimiter
    /// A part's field is not `name: value`, or it has no `Content-Disposition: form-data` with a name.
    case badHead
    /// A part is encoded, which RFC 7578 §4.7 no longer knows.
    case encodedPart
    case headTooLarge
    case tooManyParts
    case preambleTooLarge
    /// The content ends before the last boundary.
    case incomplete
}

extension MultipartError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .badBoundary: "its Content-Type has no valid boundary"
        case .badDelimiter: "something follows a boundary on its line"
        case .badHead: "a part has no valid head with Content-Disposition: form-data and a name"
        case .encodedPart: "a part has a Content-Transfer-Encoding"
        case .headTooLarge: "the head of a part is too large"
        case .tooManyParts: "it has too many parts"
        case .preambleTooLarge: "too much precedes the first boundary"
        case .incomplete: "it ends before its last boundary"
        }
    }
}
