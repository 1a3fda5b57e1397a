/// What crawlers may do with an object, as `X-Robots-Tag` says it: rules with commas between them, each alone or behind
/// the name of a crawler and a colon.
struct RobotsTag {
    let text: String

    private static let rules: Set<Substring> = [
        "all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate", "noimageindex",
    ]

    /// Throws ``FilesError`` for a rule that no crawler knows.
    init(_ text: String) throws(FilesError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(Self.trimmed)
        var number = 0
        while number < parts.count {
            let part = parts[number]
            number += 1
            guard !part.isEmpty else { throw Self.fault("X-Robots-Tag header contains empty rule") }
            let isDate = try Self.check(part)
            // A date may have a comma of its own.
            while isDate, number < parts.count, !Self.isRule(parts[number]) { number += 1 }
        }
        self.text = text
    }

    /// Whether the part is the date of `unavailable_after`.
    private static func check(_ part: Substring) throws(FilesError) -> Bool {
        if rules.contains(part) { return false }
        guard let colon = part.firstIndex(of: ":") else { throw fault("Invalid X-Robots-Tag rule: \"\(part)\"") }
        let (name, value) = (trimmed(part[..<colon]), trimmed(part[colon...].dropFirst()))
        guard !value.isEmpty else { throw fault("X-Robots-Tag rule \"\(name)\" requires a value") }
        switch name {
        case "max-snippet", "max-video-preview":
            guard let number = Int(value), number >= -1, value.first != "+" else {
                throw fault("X-Robots-Tag \"\(name)\" value must be an integer >= -1, got: \"\(value)\"")
            }
        case "max-image-preview":
            guard ["none", "standard", "large"].contains(value) else {
                throw fault("X-Robots-Tag \"\(name)\" value must be one of: none, standard, large, got: \"\(value)\"")
            }
        case "unavailable_after": return true
        default: return try check(value)
        }
        return false
    }

    private static func isRule(_ part: Substring) -> Bool {
        let name = part.prefix { $0 != ":" }
        return rules.contains(part) || ["max-snippet", "max-video-preview", "max-image-preview"].contains(name)
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }

    private static func fault(_ message: String) -> FilesError {
        FilesError(400, "InvalidRequest", "invalid_x_robots_tag", "Invalid X-Robots-Tag header: \(message)")
    }
}
