import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
struct ClosingTests {
    @Test(arguments: PollerKind.allCases)
    func `a half-closed client gets all its responses before the connection closes`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /wait?delay=50 HTTP/1.1\r\nHost: test\r\n\r\nGET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            client.finishSending()
            let first = try client.reply()
            #expect(first.body == "waited")
            #expect(first.header("connection") == nil)
            let second = try client.reply()
            #expect(second.body == "/2")
            #expect(second.header("connection") == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that stops sending within a request gets no response`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET / HTTP/1.1\r\nHost: te")
            client.finishSending()
            #expect(try client.rest() == "")
            #expect(server.log.all.isEmpty)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that disconnects cancels its request`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /wait?delay=20000 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(server.log.waits(for: "GET /wait"))
            client.reset()
            #expect(server.log.waits(for: "cancelled"))
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    @Test(arguments: PollerKind.allCases, ["", "GET / HT", "GET / HTTP/1.1\r\nHost: test\r\n\r\n"])
    func `clients that disconnect at once leave no connection open`(poller: PollerKind, text: String) async throws {
        try await withServer(poller) { server in
            for _ in 0..<30 {
                let client = try SocketClient(port: server.port)
                try client.send(text)
                client.reset()
            }
            #expect(eventually { server.server.statistics.acceptedConnections == 30 })
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    /// It closes in an orderly way, and resets the connection only when it gets what it does not want any more.
    @Test(arguments: PollerKind.allCases)
    func `clients that do not wait for a large answer leave no connection open`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            for _ in 0..<10 {
                let client = try SocketClient(port: server.port)
                try client.send("GET /large?bytes=20000000&delay=50 HTTP/1.1\r\nHost: test\r\n\r\n")
                client.close()
            }
            #expect(eventually { server.server.statistics.requests == 10 })
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n",
    ])
    func `the last response has HTTPConnection: close`(request: String) async throws {
        try await withServer(.default) { server in
            let client = try SocketClient(port: server.port)
            try client.send(request)
            let reply = try client.reply()
            #expect(reply.status == 200)
            #expect(reply.header("connection") == "close")
            #expect(try client.rest() == "")
        }
    }

    @Test func `nothing behind a last request is served, and the answer stays readable`() async throws {
        try await withServer(.default) { server in
            let client = try SocketClient(port: server.port)
            try client.send(
                "GET /1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\nGET /2 HTTP/1.1\r\nHost: test\r\n\r\n"
            )
            #expect(try client.reply().body == "/1")
            #expect(try client.rest() == "")
            #expect(server.log.all == ["GET /1"])
        }
    }

    @Test func `an HTTP 1.0 client may keep the connection`() async throws {
        try await withServer(.default) { server in
            let client = try SocketClient(port: server.port)
            for number in 1...2 {
                try client.send("GET /\(number) HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.body == "/\(number)")
                #expect(reply.header("connection") == "keep-alive")
            }
        }
    }

    @Test func `HEAD is answered like GET without the body`() async throws {
        try await withServer(.default) { server in
            let client = try SocketClient(port: server.port)
            try client.send("HEAD /12345 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply(isHead: true).header("content-length") == "6")
            try client.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/2")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that expects 100 Continue gets it`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n")
            #expect(try client.reply().status == 100)
            try client.send("hello")
            #expect(try client.reply().body == "hello")
        }
    }
}
