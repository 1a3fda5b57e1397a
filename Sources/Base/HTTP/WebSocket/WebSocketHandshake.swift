/// The opening handshake of a WebSocket (RFC 6455 §4.2).
package enum WebSocketHandshake {
    /// What the client has sent in place of an opening handshake.
    package enum Fault: Error {
        /// It is an ordinary request, or of another version.
        case notWebSocket
        case badKey
    }

    /// The value of `Sec-WebSocket-Accept` for the request.
    package static func accept(_ request: Request) throws(Fault) -> String {
        guard request.method == .get, request.version == .http11,
            lists(request.combinedHeader("upgrade"), "websocket"),
            lists(request.combinedHeader("connection"), "upgrade"),
            request.header("sec-websocket-version") == "13"
        else { throw .notWebSocket }
        // 16 bytes in base64.
        guard let key = request.header("sec-websocket-key"), key.utf8.count == 24, key.hasSuffix("==") else {
            throw .badKey
        }
        return accept(key: key)
    }

    package static func accept(key: String) -> String {
        base64(SHA1.hash(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    private static func lists(_ value: String?, _ word: String) -> Bool {
        guard let value else { return false }
        return value.split(separator: ",").contains { element in
            element.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }.lowercased() == word
        }
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for index in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[index..<min(index + 3, bytes.count)]
            var word = group.reduce(0) { $0 << 8 | Int($1) }
            word <<= 8 * (3 - group.count)
            for position in 0..<4 {
                let isPadding = position > group.count
                text.append(isPadding ? UInt8(ascii: "=") : alphabet[word >> (18 - 6 * position) & 63])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
