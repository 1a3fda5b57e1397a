import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
struct ExchangeTests {
    @Test(arguments: PollerKind.allCases)
    func `answers one request after another on one connection`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            for number in 1...3 {
                try client.send("GET /\(number) HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.status == 200)
                #expect(reply.body == "/\(number)")
                #expect(reply.header("connection") == nil)
                #expect(reply.header("date")?.hasSuffix("GMT") == true)
            }
            #expect(server.server.statistics.acceptedConnections == 1)
            #expect(server.server.statistics.requests == 3)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `answers pipelined requests in order, slow ones too`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            let paths = ["/1", "/wait?delay=30", "/2", "/3", "/wait?delay=1", "/4"]
            try client.send(paths.map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            let bodies = try paths.map { _ in try client.reply().body }
            #expect(bodies == ["/1", "waited", "/2", "/3", "waited", "/4"])
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `answers many pipelined requests`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            let count = 3000
            client.sendInBackground((0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            for number in 0..<count { #expect(try client.reply().body == "/\(number)") }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that pipelines many requests does not hold up another`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let busy = try SocketClient(port: server.port)
            try busy.send("GET /block HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(server.log.waits(for: "GET /block"))
            // Together they fit into one read of the loop.
            try busy.send(String(repeating: "GET /busy HTTP/1.1\r\nHost: a\r\n\r\n", count: 1500))
            let other = try SocketClient(port: server.port)
            try other.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n")
            server.log.add("open")
            #expect(try other.reply().body == "/other")
            let before = try #require(server.log.all.firstIndex(of: "GET /other"))
            #expect(before < 600)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `takes a request byte by byte`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            let request = "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nhello"
            for byte in request.utf8 {
                try client.send([byte])
                pause(.milliseconds(1))
            }
            #expect(try client.reply().body == "hello")
            try client.send(request)
            #expect(try client.reply().body == "hello")
        }
    }
}
