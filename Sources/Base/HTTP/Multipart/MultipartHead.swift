/// The head of one part of a form.
public struct MultipartHead: Hashable, Sendable {
    /// The name of the form's field.
    public let name: String
    /// nil for a value that is no file. As the client has sent it, so perhaps a path: see ``FileName``.
    public let fileName: String?
    /// nil if the part does not say, or what it says is malformed.
    public let contentType: MediaType?

    /// Takes the lines of a head, each with its CR LF. Fields that a form has no use for are ignored.
    init(lines: ArraySlice<UInt8>) throws(MultipartError) {
        var disposition: ContentDisposition?
        var contentType: MediaType?
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            // A bare CR or LF, a folded line (RFC 9112 §5.2) and other control bytes are refused.
            guard line.last == UInt8(ascii: "\r"), let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
                throw .badHead
            }
            let (name, value) = (line[..<colon], line[(colon + 1)...].dropLast())
            let isText = value.allSatisfy { !isControl($0) || $0 == UInt8(ascii: "\t") }
            guard !name.isEmpty, name.allSatisfy({ ByteSet.token.contains($0) }), isText else { throw .badHead }
            let text = String(decoding: value, as: UTF8.self)
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "content-disposition":
                guard disposition == nil, let found = ContentDisposition(text) else { throw .badHead }
                disposition = found
            case "content-type": contentType = MediaType(text)
            case "content-transfer-encoding":
                let coding = text.lowercased().split(separator: " ").first
                guard coding == "7bit" || coding == "8bit" || coding == "binary" else { throw .encodedPart }
            default: break
            }
        }
        guard let disposition, disposition.kind == "form-data", let name = disposition.name else { throw .badHead }
        self.name = Self.unescaped(name)
        fileName = disposition.fileName.map(Self.unescaped)
        self.contentType = contentType
    }

    /// Browsers escape these three bytes and no others, not even `%` (HTML §4.10.21.8).
    private static func unescaped(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var unescaped = ""
        var rest = text[...]
        while let first = rest.first {
            switch rest.prefix(3).uppercased() {
            case "%22": unescaped += "\""
            case "%0D": unescaped += "\r"
            case "%0A": unescaped += "\n"
            default:
                unescaped.append(first)
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(3)
        }
        return unescaped
    }
}
