/// One mailbox, fit to be written into a header and into an SMTP command as it is.
///
/// Stricter than RFC 5321 where nobody has such addresses: no quotes, no comments, no blanks. Letters beyond ASCII are
/// let through, for servers that can (RFC 6531).
package struct MailAddress: RawRepresentable, Hashable, Sendable {
    /// What is longer is none, with whatever blanks around it, and not looked through.
    static let maximumBytesWithBlanks = 1024

    package let rawValue: String

    package init?(rawValue: String) {
        let bytes = Array(rawValue.utf8)
        guard (3...254).contains(bytes.count), let at = bytes.lastIndex(of: UInt8(ascii: "@")), (1...64).contains(at),
            Self.isLocalPart(bytes[..<at]), Self.isDomain(bytes[(at + 1)...]),
            rawValue.unicodeScalars.allSatisfy(Self.isVisible)
        else { return nil }
        self.rawValue = rawValue
    }

    /// Controls and separators beyond ASCII end lines or words in some readers, and marks of direction or of no width
    /// make two addresses look like one. The joiners are letters' in some scripts (RFC 5892 A.1, A.2).
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
