import SwiftletBytes

/// What to do with content, and under which name: the field `Content-Disposition` (RFC 6266, RFC 7578 §4.2).
public struct ContentDisposition: Hashable, Sendable {
    /// `attachment`, `inline` or `form-data`, in lower case.
    public let kind: String
    /// The name of the form's field.
    public let name: String?
    /// As the peer has sent it, so perhaps a path: see ``FileName``.
    public let fileName: String?

    /// nil if it is malformed. `filename*` wins over `filename`, which older peers read.
    public init?(_ text: String) {
        guard let value = ParameterizedValue(text) else { return nil }
        kind = value.value
        name = value["name"]
        fileName = value["filename*"].flatMap(Self.decoded) ?? value["filename"]
    }

    /// Content that browsers save under the name, whatever it is.
    public static func attachment(_ fileName: FileName) -> ContentDisposition {
        ContentDisposition(kind: "attachment", fileName: fileName.text)
    }

    /// Content that browsers show if they can. Never for what others have uploaded, such as HTML and SVG: they would
    /// run its scripts as ours.
    public static func inline(_ fileName: FileName) -> ContentDisposition {
        ContentDisposition(kind: "inline", fileName: fileName.text)
    }

    private init(kind: String, fileName: String) {
        self.kind = kind
        name = nil
        self.fileName = fileName
    }

    /// `charset'language'text` (RFC 8187 §3.2), of which UTF-8 is the only charset that matters.
    private static func decoded(_ text: String) -> String? {
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
        let bytes = Array(parts[2].utf8)
        return PercentCoding.decode(bytes.span, bytes.indices, plusIsSpace: false)
    }
}

extension ContentDisposition: CustomStringConvertible {
    /// In the form of the field: a name in ASCII for old clients, and the whole name in UTF-8 where it differs.
    public var description: String {
        guard let fileName else { return kind }
        let plain = String(
            decoding: fileName.unicodeScalars.map { scalar in
                // `%` too: some clients decode what looks like an escape (RFC 6266 appendix D).
                let isPlain = (0x20..<0x7F).contains(scalar.value) && !["\"", "\\", "%"].contains(scalar)
                return isPlain ? UInt8(scalar.value) : UInt8(ascii: "_")
            },
            as: UTF8.self
        )
        let text = "\(kind); filename=\"\(plain)\""
        return plain == fileName ? text : "\(text); filename*=UTF-8''\(PercentCoding.encode(fileName))"
    }
}
