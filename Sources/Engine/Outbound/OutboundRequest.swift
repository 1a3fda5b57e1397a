/// One request to another server.
package struct OutboundRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case head = "HEAD"
        case delete = "DELETE"
    }

    package let method: Method
    package let url: String
    package var headers: [(name: String, value: String)]
    /// Empty for a GET and a HEAD.
    package let body: [UInt8]
    /// nil for a request that is not signed. No redirect of a signed one is followed.
    package var signature: AWSSignature?

    package init(
        _ method: Method,
        _ url: String,
        _ body: [UInt8] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    package static func get(_ url: String, headers: [(name: String, value: String)] = []) -> OutboundRequest {
        OutboundRequest(.get, url, headers: headers)
    }

    package static func post(
        _ url: String,
        _ body: [UInt8],
        headers: [(name: String, value: String)] = []
    ) -> OutboundRequest {
        OutboundRequest(.post, url, body, headers: headers)
    }

    /// The fields in the format of libcurl. A name must be a token, and a value must have no control bytes (RFC 9110
    /// §5), so that nothing in them can begin another line.
    func headerLines() throws(OutboundError) -> [String] { try Self.lines(headers) }

    static func lines(_ headers: [(name: String, value: String)]) throws(OutboundError) -> [String] {
        var lines: [String] = []
        for (name, value) in headers {
            let isName = !name.isEmpty && name.utf8.allSatisfy(isTokenByte)
            guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .badField }
            // "Name:" would remove libcurl's own field; "Name;" sends the field with an empty value.
            lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
        }
        return lines
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Which certificates are trusted.
package enum Trust: Hashable, Sendable {
    /// Those that the system's authorities have issued for the host.
    case system
    /// Also those of the authorities in this PEM file.
    case systemAnd(file: String)
    /// Any certificate, for health checks of this server.
    case anyone
}
