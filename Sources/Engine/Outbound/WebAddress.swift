import SwiftletCCurl

/// The parts of an http or https address that decide whether it may be requested. Parsed by libcurl itself, so that the
/// check and the request cannot see different hosts.
package struct WebAddress: Equatable, Sendable {
    package let isSecure: Bool
    /// As libcurl writes it: not necessarily in lower case, and an IPv6 address in brackets.
    let host: String
    let port: String

    /// Refuses other schemes, user names, spaces and control bytes.
    package init(_ text: String) throws(OutboundError) {
        guard CurlLibrary.isReady, let url = unsafe curl_url() else { throw .unavailable }
        defer { unsafe curl_url_cleanup(url) }
        guard !text.utf8.contains(0), unsafe ccurl_url_parse(url, text) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: url), scheme == "https" || scheme == "http",
            let host = unsafe Self.part(CURLUPART_HOST, of: url), !host.isEmpty,
            let port = unsafe Self.part(CURLUPART_PORT, of: url)
        else { throw .badAddress }
        isSecure = scheme == "https"
        self.host = host
        self.port = port
    }

    package var isLoopback: Bool { Self.isLoopback(host) }

    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "[::1]" || host == "::1" { return true }
        // libcurl has converted other notations of IPv4 addresses into four numbers.
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func part(_ part: CURLUPart, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe ccurl_url_part(url, part, &text) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
