import Testing

@testable import SwiftletHTTP

@Suite struct WebSocketHandshakeTests {
    private static let fields = [
        "Host: localhost", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]

    private static func request(_ line: String = "GET / HTTP/1.1", _ fields: [String] = fields) throws -> Request {
        let message = Array(([line] + fields + ["", ""]).joined(separator: "\r\n").utf8)
        var parser = RequestParser(limits: RequestLimits(), remoteAddress: "127.0.0.1")
        guard case .request(let request, _) = try parser.parse(message.span) else {
            throw ParseError(.badRequest, "The request is not one message.")
        }
        return request
    }

    /// The example of RFC 6455 §1.3.
    @Test func `proves that the key was read`() throws {
        #expect(try WebSocketHandshake.accept(Self.request()) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    /// RFC 6455 §4.1 compares without case, and Firefox sends two options.
    @Test func `reads lists of options in any case`() throws {
        var fields = Self.fields
        fields[1] = "Upgrade: h2c, WebSocket"
        fields[2] = "Connection: keep-alive , upgrade"
        #expect(try WebSocketHandshake.accept(Self.request("GET / HTTP/1.1", fields)).count == 28)
    }

    @Test(arguments: [1, 2, 3])
    func `tells an ordinary request by what is missing`(index: Int) throws {
        var fields = Self.fields
        fields.remove(at: index)
        let request = try Self.request("GET / HTTP/1.1", fields)
        #expect(throws: WebSocketHandshake.Fault.notWebSocket) { try WebSocketHandshake.accept(request) }
    }

    @Test(arguments: ["POST / HTTP/1.1", "GET / HTTP/1.0"])
    func `takes GET of HTTP 1_1 only`(line: String) throws {
        let request = try Self.request(line)
        #expect(throws: WebSocketHandshake.Fault.notWebSocket) { try WebSocketHandshake.accept(request) }
    }

    @Test(arguments: ["", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZSBvZiBtb3Jl"])
    func `refuses a key of another length`(key: String) throws {
        let request = try Self.request("GET / HTTP/1.1", Self.fields.dropLast() + ["Sec-WebSocket-Key: \(key)"])
        #expect(throws: WebSocketHandshake.Fault.badKey) { try WebSocketHandshake.accept(request) }
    }

    /// FIPS 180-4's example of two blocks, and one that fills a block exactly.
    @Test(arguments: [
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ])
    func `hashes as the standard does`(text: String, hash: String) {
        let digits = SHA1.hash(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(digits.joined() == hash)
    }
}
