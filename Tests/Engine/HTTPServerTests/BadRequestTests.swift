import SwiftletHTTP
import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
struct BadRequestTests {
    @Test(
        arguments: PollerKind.allCases,
        [
            ("no request at all\r\n\r\n", 400),
            ("GET / HTTP/1.1\nHost: test\n\n", 400),
            ("GET / HTTP/1.1\r\nHost : test\r\n\r\n", 400),
            ("GET / HTTP/1.1\r\nHost: test\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("GET / HTTP/3.7\r\nHost: test\r\n\r\n", 505),
            ("GET /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: test\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: test\r\nA: \(String(repeating: "x", count: 40000))\r\n\r\n", 431),
        ]
    )
    func `a malformed request is refused, the connection closes, and nothing after it is served`(
        poller: PollerKind,
        bad: (text: String, status: Int)
    ) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(
                "GET /before HTTP/1.1\r\nHost: test\r\n\r\n" + bad.text + "GET /behind HTTP/1.1\r\nHost: test\r\n\r\n"
            )
            #expect(try client.reply().body == "/before")
            let reply = try client.reply()
            #expect(reply.status == bad.status)
            #expect(reply.header("connection") == "close")
            #expect(reply.body.hasPrefix("refused: "))
            #expect(try client.rest() == "")
            #expect(server.log.all == ["GET /before"])
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a TLS client on a plain port is refused at its first byte`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("\u{16}")
            let reply = try client.reply()
            #expect(reply.status == 400)
            #expect(reply.body == "refused: The message contains a control byte.")
            #expect(try client.rest() == "")
        }
    }

    /// RFC 9110 §9.3.2: what followed would be taken for the next response.
    @Test(
        arguments: PollerKind.allCases,
        [
            ("HEAD / HTTP/1.1\r\n\r\n", "400"),
            ("HEAD / HTTP/1.1\r\nHost: test\r\nHost : test\r\n\r\n", "400"),
            ("HEAD / HTTP/1.1\r\nHost: test\r\nExpect: cake\r\n\r\n", "417"),
            ("HEAD / HTTP/1.1\r\nHost: test\r\nA: \(String(repeating: "x", count: 40000))\r\n\r\n", "431"),
            ("HEAD / HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n", "400"),
            ("HEAD / HTTP/1.1\r\nHost: test\r\n", "408"),
            ("HEAD /%zz HTTP/1.1\r\nHost: test\r\n\r\n", "400"),
            ("\r\n\r\nHEAD / HTTP/1.1\nHost: test\r\n\r\n", "400"),
            ("HEAD / HTTP/2.0\r\nHost: test\r\n\r\n", "505"),
            ("HEAD /\(String(repeating: "x", count: 9000)) HTTP/1.1\r\nHost: test\r\n\r\n", "414"),
            ("HEAD /", "408"),
        ]
    )
    func `the refusal of a HEAD has the fields of any other and no content`(
        poller: PollerKind,
        bad: (text: String, status: String)
    ) async throws {
        try await withServer(poller, { $0.headerTimeout = .milliseconds(50) }) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /before HTTP/1.1\r\nHost: test\r\n\r\n" + bad.text)
            #expect(try client.reply().body == "/before")
            let answer = try client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 \(bad.status) "))
            #expect(answer.contains("\r\nContent-Length: "))
            #expect(!answer.contains("\r\nContent-Length: 0\r\n"))
            #expect(answer.hasSuffix("\r\nConnection: close\r\n\r\n"))
        }
    }

    @Test(
        arguments: PollerKind.allCases,
        [
            ("Content-Length: 10\r\n\r\nhalf", 408, "/a"),
            ("Transfer-Encoding: chunked\r\n\r\nno size\r\n", 400, "/a"),
            ("Transfer-Encoding: chunked\r\n\r\n0\r\nA: \(String(repeating: "x", count: 9000))\r\n\r\n", 431, "/a"),
            ("Content-Length: 10\r\n", 408, nil), ("Content-Length : 10\r\n\r\n", 400, nil),
        ] as [(String, Int, String?)]
    )
    func `a refusal knows the request if its head was valid`(
        poller: PollerKind,
        bad: (end: String, status: Int, path: String?)
    ) async throws {
        let configure: (inout HTTPServerConfiguration) -> Void = { configuration in
            configuration.headerTimeout = .milliseconds(50)
            configuration.bodyTimeout = .milliseconds(50)
        }
        try await withServer(poller, configure) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /before HTTP/1.1\r\nHost: test\r\n\r\nPOST /a HTTP/1.1\r\nHost: test\r\n" + bad.end)
            #expect(try client.reply().body == "/before")
            let reply = try client.reply()
            #expect(reply.status == bad.status)
            #expect(reply.header("x-refused") == bad.path)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a body that is announced too large is refused before it is sent`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1048577\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 413)
            #expect(reply.header("connection") == "close")
            // The handler knows what was asked for.
            #expect(reply.body == "too large for /echo")
            #expect(try client.rest() == "")
            #expect(server.server.statistics.refusals == 1)
        }
    }

    /// What comes behind it is no request.
    @Test(arguments: PollerKind.allCases)
    func `a chunked body that becomes too large is refused in its turn, and ends the connection`(
        poller: PollerKind
    ) async throws {
        try await withServer(poller, { $0.limits.bodyBytes = 4 }) { server in
            let client = try SocketClient(port: server.port)
            let chunked = "Host: test\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\n"
            try client.send(
                "GET /wait?delay=50 HTTP/1.1\r\nHost: test\r\n\r\nPOST /echo HTTP/1.1\r\n\(chunked)"
                    + "GET /after HTTP/1.1\r\nHost: test\r\n\r\n"
            )
            #expect(try client.reply().body == "waited")
            #expect(try client.reply().body == "too large for /echo")
            #expect(try client.rest() == "")
            #expect(server.log.all == ["GET /wait"])
        }
    }

    /// Closing with bytes unread would reset the connection, and the client would not see the answer.
    @Test(arguments: PollerKind.allCases)
    func `a client that sends a body that is too large anyway can read the refusal`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3000000\r\n\r\n")
            try client.send(Array(repeating: UInt8(ascii: "x"), count: 3_000_000))
            #expect(try client.reply().status == 413)
            #expect(try client.rest() == "")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that never stops sending is cut off`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.lingerTimeout = .milliseconds(100) }) { server in
            let client = try SocketClient(port: server.port)
            client.sendInBackground("bad\r\n" + String(repeating: "x", count: 10000), every: .milliseconds(1))
            #expect(try client.reply().status == 400)
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that announces a body that is too large gets no 100`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(
                "POST /echo HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 2000000\r\n\r\n"
            )
            #expect(try client.reply().status == 413)
        }
    }
}
