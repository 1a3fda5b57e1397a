/// A request to another service: `HTTPRequest("PATCH", "https://api.example.com/orders/7", body: bytes)`.
public struct HTTPRequest: Sendable {
    /// Any method of HTTP, in capitals.
    public var method: String
    /// An `http` or `https` address without a user name.
    public var url: String
    /// In this order, in addition to those of the client: `Host`, `User-Agent`, `Accept`, `Content-Length`.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]
    /// For everything: redirects and the whole body included.
    public var timeout = Duration.seconds(30)
    /// For the name, the connection and TLS.
    public var connectTimeout = Duration.seconds(5)
    /// How long nothing may arrive.
    public var idleTimeout = Duration.seconds(15)
    /// A longer body is ``HTTPFailure/tooLarge``.
    public var maximumBodyBytes = 8 << 20
    /// How many redirects are followed. Those that leave the server get none of ``headers``; none leads from https to
    /// http.
    public var redirects = 0
    /// Whether the request may reach the server twice. It is sent once more, on a new connection, when a server that
    /// closes an HTTP/2 connection has not answered it. Without a word of yours, what HTTP calls idempotent may (RFC 9110
    /// §9.2.2).
    public var isRepeatable: Bool
    /// nil for a request that is not signed.
    package var signature: AWSSignature?

    public init(_ method: String, _ url: String, body: [UInt8] = [], headers: [(name: String, value: String)] = []) {
        isRepeatable = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(method)
        self.method = method
        self.url = url
        self.body = body
        self.headers = headers
    }

    /// Whether the caller has set this header, ignoring case.
    func hasHeader(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }

    /// The fields in the format of libcurl. A name must be a token, and a value must have no control bytes (RFC 9110
    /// §5), so that nothing in them can begin another line.
    func headerLines() throws(HTTPFailure) -> [String] {
        var lines: [String] = []
        for (name, value) in headers {
            let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
            guard isName, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else { throw .badHeader }
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

    /// The request that a redirect to `target` asks for: as browsers do it, for a status of 303, and for a POST with
    /// 301 or 302, it becomes a GET (RFC 9110 §15.4).
    func redirected(_ status: Int, to target: String) throws(HTTPFailure) -> HTTPRequest {
        let from = try WebAddress.checked(url)
        let to = try WebAddress.checked(target)
        guard to.isSecure || !from.isSecure else { throw .badRedirect }
        var next = self
        next.url = target
        next.redirects -= 1
        if to != from { next.headers = [] }
        if status == 303 && method != "HEAD" || (status == 301 || status == 302) && method == "POST" {
            next.method = "GET"
            next.body = []
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
        }
        return next
    }
}

extension WebAddress {
    static func checked(_ text: String) throws(HTTPFailure) -> WebAddress {
        do throws(OutboundError) { return try WebAddress(text) } catch { throw .badAddress }
    }
}
