/// A name for a file that is safe to show, to store and to send: one segment, on one line, of up to 255 bytes.
public struct FileName: Hashable, Sendable {
    public let text: String

    /// The last part of a path, of Windows too, without control characters, characters that turn the direction of
    /// writing (`exe.gpj` must not read `jpg.exe`), and blanks and dots at its ends. A name that is too long is cut
    /// before its extension. nil if nothing is left.
    public init?(_ text: String) {
        let last = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last ?? []
        var kept = String.UnicodeScalarView()
        for scalar in last where !Self.isDropped(scalar) { kept.append(scalar) }
        let name = Self.trimmed(String(kept))
        guard !name.isEmpty else { return nil }
        self.text = Self.cut(name)
    }

    private static let maximumBytes = 255
    private static let maximumExtensionBytes = 16

    private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func trimmed(_ name: String) -> String {
        let isDropped: (Character) -> Bool = { $0.isWhitespace || $0 == "." }
        var name = name[...].drop(while: isDropped)
        while let last = name.last, isDropped(last) { name.removeLast() }
        return String(name)
    }

    private static func cut(_ name: String) -> String {
        guard name.utf8.count > maximumBytes else { return name }
        var suffix = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        if suffix.utf8.count > maximumExtensionBytes { suffix = "" }
        var stem = ""
        var room = maximumBytes - suffix.utf8.count
        for character in name {
            room -= character.utf8.count
            if room < 0 { break }
            stem.append(character)
        }
        return stem + suffix
    }
}

extension FileName: CustomStringConvertible {
    public var description: String { text }
}
