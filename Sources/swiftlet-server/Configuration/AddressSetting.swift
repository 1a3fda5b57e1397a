/// Addresses of the web in settings.
enum WebAddress {
    /// User and password, host, and the rest (RFC 3986 §3.2).
    private static var pattern: Regex<(Substring, Substring?, Substring, Substring?)> {
        #/(?i:https?):\/\/([^\/?#@\s"<>]*@)?(\[[0-9A-Fa-f:.]+\]|[^\/?#:@\[\]\s"<>]+)([:\/?#][^\s"<>]*)?/#
    }

    /// Whether it is an http or https URL with a host, and nothing that ends it in a header or a mail.
    static func isValid(_ text: String) -> Bool {
        text.wholeMatch(of: pattern) != nil
    }

    /// The same for one whose answer can be relied upon: plain http is for this machine only.
    static func isSecure(_ text: String) -> Bool {
        guard isValid(text) else { return false }
        return text.hasPrefix("https://")
            || ["http://localhost", "http://127.0.0.1", "http://[::1]"].contains { base in
                text.hasPrefix(base) && [nil, ":", "/"].contains(text.dropFirst(base.count).first)
            }
    }
}
