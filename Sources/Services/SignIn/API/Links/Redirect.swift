import SwiftletHTTP

extension AuthAPI {
    /// Where the link in a mail redirects to, as requested by the client and if allowed; nil means `SITE_URL`.
    func redirect(_ request: Request) -> String? {
        guard let wanted = request.query["redirect_to"] ?? request.header("redirect_to"), !wanted.isEmpty else {
            return nil
        }
        return RedirectRules(settings).allows(wanted) ? wanted : nil
    }
}

extension String {
    /// A URL up to its `#`, which a combining mark after it does not hide.
    var withoutFragment: String { String(unicodeScalars.prefix { $0 != "#" }) }

    /// A URL with the members in its query, before its fragment. Members of the same names that it had are left out, so
    /// that a link cannot bring its own code.
    func withQuery(_ members: [(String, String)]) -> String {
        let page = withoutFragment.unicodeScalars
        let fragment = unicodeScalars.dropFirst(page.count)
        let path = page.prefix { $0 != "?" }
        let kept = page.dropFirst(path.count + 1).split(separator: "&").filter { pair in
            !Query(String(pair)).names.contains { name in members.contains { $0.0 == name } }
        }
        let query = kept.map { String($0) } + [members.inQueryFormat]
        return "\(String(path))?\(query.joined(separator: "&"))\(String(fragment))"
    }

    /// A URL with all beyond ASCII percent-encoded (RFC 3987 §3.1).
    var inASCII: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isASCII ? String(scalar) : PercentCoding.encode(String(scalar))
        }
    }
}

extension [(String, String)] {
    /// Names, which need no encoding, with their values.
    var inQueryFormat: String {
        map { name, value in "\(name)=\(PercentCoding.encode(value))" }.joined(separator: "&")
    }
}
