import Foundation

/// The name of an object in its bucket, such as `2026/café.png`: folders are part of it.
///
/// Letters, marks and digits, and the signs ``signs``; 1 to 1024 bytes in the normal form C of Unicode, so that a name
/// means the same object from every keyboard. No segment is `.` or `..`, which URLs would lose.
struct ObjectName: Hashable, Sendable {
    let text: String

    static let maximumBytes = 1024
    /// As Supabase has them.
    private static let signs = Set("_/!-.*'() &$@=;:+,?".unicodeScalars)

    init(_ text: String, allowsUnicode: Bool) throws(FilesError) {
        let normal = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
        guard (1...Self.maximumBytes).contains(normal.utf8.count),
            normal.unicodeScalars.allSatisfy({ Self.isPlain($0) || allowsUnicode && Self.isWord($0) }),
            !normal.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { throw .badKey(String(text.prefix(100))) }
        self.text = normal
    }

    /// Whether it may stand in any name.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: signs.contains(scalar)
        }
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
            .spacingMark, .decimalNumber:
            !scalar.isASCII
        default: false
        }
    }
}
