/// A mail address that is safe to use in a header and in an SMTP command.
///
/// Stricter than RFC 5321: no quotes, comments or white space. Letters beyond ASCII are allowed (RFC 6531).
package struct MailAddress: RawRepresentable, Hashable, Sendable {
    package let rawValue: String

    package init?(rawValue: String) {
        let bytes = Array(rawValue.utf8)
        guard (3...254).contains(bytes.count), let at = bytes.lastIndex(of: UInt8(ascii: "@")), (1...64).contains(at),
            Self.isLocalPart(bytes[..<at]), Self.isDomain(bytes[(at + 1)...]),
            rawValue.unicodeScalars.allSatisfy(Self.isVisible)
        else { return nil }
        self.rawValue = rawValue
    }

    /// In lower case and without surrounding white space, but not validated; nil for a text too long for any address.
    static func normalized(_ text: String) -> String? { text.trimmingBlanks()?.lowercased() }

    /// Refuses control characters and separators beyond ASCII, and invisible format characters, which make different
    /// addresses look the same. The joiners are needed in some scripts (RFC 5892 A.1, A.2).
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
        case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
        default: true
        }
    }

    private static func isLocalPart(_ bytes: ArraySlice<UInt8>) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.allSatisfy { part in
            !part.isEmpty && part.allSatisfy { isWordByte($0) || "!#$%&'*+/=?^_`{|}~-".utf8.contains($0) }
        }
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.count) && label.first != UInt8(ascii: "-") && label.last != UInt8(ascii: "-")
                && label.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: "-") }
        }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
            true
        default: false
        }
    }
}
