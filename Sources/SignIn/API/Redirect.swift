import HTTP

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

    /// A URL with all beyond ASCII percent-encoded (RFC 3987 §3.1).
    var inASCII: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.isASCII ? String(scalar) : PercentCoding.encode(String(scalar))
        }
    }
}
