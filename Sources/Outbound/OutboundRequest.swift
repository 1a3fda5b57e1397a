/// One request to another server.
package struct OutboundRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    package let url: String
    package var headers: [(name: String, value: String)]
    /// Empty unless it is a POST.
    package let body: [UInt8]

    package static func get(_ url: String, headers: [(name: String, value: String)] = []) -> OutboundRequest {
        OutboundRequest(method: .get, url: url, headers: headers, body: [])
    }

    package static func post(
        _ url: String,
        _ body: [UInt8],
        headers: [(name: String, value: String)] = []
    ) -> OutboundRequest {
        OutboundRequest(method: .post, url: url, headers: headers, body: body)
    }

    /// The fields in the format of libcurl. A name must be a token, and a value must have no control bytes (RFC 9110
    /// §5), so that nothing in them can begin another line.
    func headerLines() throws(OutboundError) -> [String] {
        var lines: [String] = []
        for (name, value) in headers {
            let isName = !name.isEmpty && name.utf8.allSatisfy(Self.isTokenByte)
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
