package import SwiftletStorage

/// The content of an object: what `storage.objects.version` says. Never changed once it is stored, so that a name's old
/// content can be read to its end while it has a new one.
package struct FileVersion: Hashable, Sendable {
    package let text: String

    /// `s1.` and 32 hexadecimal digits. Versions of Supabase have none of these in front.
    private static let mark = "s1."

    /// A new one that nobody can guess.
    package static func unique() -> FileVersion {
        let digits = (0..<2).map { _ in
            let text = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return FileVersion(text: mark + digits.joined())
    }

    package init(text: String) { self.text = text }

    /// `objects/ab/s1.ab…`, which no name of an object has any part in; nil for what is no version of ours.
    package var key: ObjectKey? {
        guard text.hasPrefix(Self.mark) else { return nil }
        let digits = text.dropFirst(Self.mark.count)
        guard digits.utf8.count == 32, digits.allSatisfy({ "0123456789abcdef".contains($0) }) else { return nil }
        return ObjectKey("objects/\(digits.prefix(2))/\(text)")
    }
}
