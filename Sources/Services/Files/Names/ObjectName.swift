import SwiftletEssentials

/// The name of an object in its bucket, such as `2026/café.png`: folders are part of it.
///
/// What S3 takes in a key: any text of 1 to 1024 bytes whose characters XML 1.0 knows. It is in the
/// normal form C of Unicode, so that a name means the same object from every keyboard. No segment is `.` or `..`, which
/// URLs would lose.
struct ObjectName: Hashable, Sendable {
    let text: String

    static let maximumBytes = 1024
    /// Those of names in ASCII that every version of Supabase takes.
    private static let signs = Set("_/!-.*'() &$@=;:+,?".unicodeScalars)

    init(_ text: String, allowsUnicode: Bool) throws(FilesError) {
        let normal = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.inNormalFormC
        guard (1...Self.maximumBytes).contains(normal.utf8.count),
            normal.unicodeScalars.allSatisfy({ Self.isPlain($0) || allowsUnicode && Self.isText($0) }),
            !normal.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
        else { throw .badKey(String(text.prefix(100))) }
        self.text = normal
    }

    /// Whether it may stand in any name, and in that of a bucket.
    static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        default: signs.contains(scalar)
        }
    }

    /// The characters of XML 1.0, in which S3 lists keys. Not those that turn around what is read behind them, nor what
    /// stands for bytes that are no text.
    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x202A...0x202E, 0x2066...0x2069: false
        // The last one stands behind all names in lists.
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFC, 0x10000...0x10FFFE: true
        default: false
        }
    }
}
