import SwiftletOutbound

/// What settings accept as an address of the web.
enum AddressSetting {
    /// User and password, host, and the rest (RFC 3986 §3.2).
    private static var pattern: Regex<(Substring, Substring?, Substring, Substring?)> {
        #/(?i:https?):\/\/([^\/?#@\s"<>]*@)?(\[[0-9A-Fa-f:.]+\]|[^\/?#:@\[\]\s"<>]+)([:\/?#][^\s"<>]*)?/#
    }

    /// Whether it is an http or https URL with a host, and nothing that ends it in a header or a mail.
    static func isLink(_ text: String) -> Bool {
        text.wholeMatch(of: pattern) != nil
    }

    /// The same for one that this server requests itself, which must be ASCII and without a user name. Its answer is
    /// relied upon, so plain http is for this machine only.
    static func isRequestable(_ text: String) -> Bool {
        guard isLink(text), text.utf8.allSatisfy({ $0 < 0x80 }), let address = try? WebAddress(text) else {
            return false
        }
        return address.isSecure || address.isLoopback
    }
}
