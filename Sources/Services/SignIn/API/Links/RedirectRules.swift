/// Decides where links in mails may redirect to: the site itself and the targets in the allow list. Sessions must never
/// be sent anywhere else.
struct RedirectRules: Sendable {
    private let site: String?
    private let patterns: [String]

    init(_ settings: SignInSettings) {
        site = settings.siteURL
        patterns = settings.redirectAllowList
    }

    func allows(_ url: String) -> Bool {
        guard url.utf8.count <= 2048,
            url.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
        else { return false }
        if let site, Self.origin(url) != nil, Self.origin(url) == Self.origin(site) { return true }
        let scalars = Array(url.unicodeScalars)
        let authority = Self.authority(scalars, until: "/?#")
        guard authority?.contains("@") != true else { return false }
        let isWeb = url.lowercased().unicodeScalars.starts(with: "http".unicodeScalars)
        let withoutQuery = Array(scalars.prefix { $0 != "#" && $0 != "?" })
        return patterns.contains { pattern in
            let pattern = Array(pattern.unicodeScalars)
            // A wildcard in the host must not match into the query: https://2130706433?.friends.example is another
            // host.
            let ends = pattern.starts(with: "http".unicodeScalars) ? "/#" : "/?#"
            if let authority, let wanted = Self.authority(pattern, until: ends) {
                // A wildcard must not match a dot in disguise: browsers decode %2E in a web host, and fold its Unicode.
                let isPlain = !isWeb || authority.allSatisfy { $0.isASCII && $0 != "%" }
                let fits = isPlain ? Self.matches(Array(authority), Array(wanted)) : authority == wanted
                guard fits else { return false }
            }
            return Self.matches(withoutQuery, pattern) || Self.matches(scalars, pattern)
        }
    }

    // By Unicode scalars, as browsers parse URLs: a slash with a combining mark is another Character, but still ends
    // the host (RFC 3986 §3.2).

    private static func authority(_ url: [Unicode.Scalar], until ends: String) -> ArraySlice<Unicode.Scalar>? {
        let ends = Array(ends.unicodeScalars)
        guard let start = url.firstRange(of: Array("://".unicodeScalars))?.upperBound else { return nil }
        return url[start...].prefix { !ends.contains($0) }
    }

    /// Scheme, host and port in lower case; nil without a host or with user information.
    private static func origin(_ url: String) -> String? {
        let scalars = Array(url.unicodeScalars)
        guard let authority = authority(scalars, until: "/?#"), !authority.isEmpty, !authority.contains("@") else {
            return nil
        }
        var origin = String.UnicodeScalarView()
        origin.append(contentsOf: scalars[..<authority.endIndex])
        return String(origin).lowercased()
    }

    /// `**` is anything, `*` anything but `/` and `.`, `?` one of those.
    private static func matches(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        // reachable[i]: the pattern so far matches the first i scalars of the text.
        var reachable = [Bool](repeating: false, count: text.count + 1)
        reachable[0] = true
        var position = 0
        while position < pattern.count {
            let isStar = pattern[position] == "*"
            let isDouble = isStar && position + 1 < pattern.count && pattern[position + 1] == "*"
            var next = [Bool](repeating: false, count: text.count + 1)
            if isStar {
                next = reachable
                for index in text.indices where next[index] {
                    if isDouble || (text[index] != "/" && text[index] != ".") { next[index + 1] = true }
                }
            } else {
                for index in text.indices where reachable[index] {
                    let fits =
                        pattern[position] == "?"
                        ? text[index] != "/" && text[index] != "." : text[index] == pattern[position]
                    if fits { next[index + 1] = true }
                }
            }
            reachable = next
            position += isDouble ? 2 : 1
        }
        return reachable[text.count]
    }
}
