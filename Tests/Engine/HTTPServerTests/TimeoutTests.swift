import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
struct TimeoutTests {
    @Test(arguments: PollerKind.allCases, ["GET / HT", "GET / HTTP/1.1\r\nHost: test\r\n"])
    func `an incomplete head is refused with 408`(poller: PollerKind, head: String) async throws {
        try await withServer(poller, { $0.headerTimeout = .milliseconds(50) }) { server in
            let client = try SocketClient(port: server.port)
            try client.send(head)
            let reply = try client.reply()
            #expect(reply.status == 408)
            #expect(reply.header("connection") == "close")
            #expect(reply.body == "refused: The request took too long to arrive.")
            #expect(try client.rest() == "")
            #expect(server.log.all.isEmpty)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a head that arrives too slowly is refused with 408`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.headerTimeout = .milliseconds(100) }) { server in
            let client = try SocketClient(port: server.port)
            client.sendInBackground(
                "GET / HTTP/1.1\r\n" + String(repeating: "A: b\r\n", count: 60),
                every: .milliseconds(20)
            )
            #expect(try client.reply().status == 408)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an incomplete body is refused with 408`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.bodyTimeout = .milliseconds(50) }) { server in
            let client = try SocketClient(port: server.port)
            try client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nhalf")
            #expect(try client.reply().status == 408)
            #expect(try client.rest() == "")
            #expect(server.log.all.isEmpty)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a connection without a first request closes after the time for a head`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.headerTimeout = .milliseconds(200) }) { server in
            let silent = try SocketClient(port: server.port)
            let client = try SocketClient(port: server.port)
            try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/1")
            #expect(try silent.rest() == "")
            try client.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/2")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an idle connection closes without a word`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.idleTimeout = .milliseconds(500) }) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/1")
            #expect(try client.rest() == "")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a connection in use outlives the idle time`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.idleTimeout = .seconds(2) }) { server in
            let client = try SocketClient(port: server.port)
            var last = ContinuousClock.now
            for number in 1...5 {
                // A machine that stops us for so long proves nothing.
                if ContinuousClock.now - last > .milliseconds(1500) { return }
                try client.send("GET /\(number) HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply().body == "/\(number)")
                last = ContinuousClock.now
                pause(.milliseconds(500))
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a handler that takes too long is cancelled, and the client gets 503`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.requestTimeout = .milliseconds(50) }) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /wait?delay=20000 HTTP/1.1\r\nHost: test\r\n\r\n")
            let reply = try client.reply()
            #expect(reply.status == 503)
            #expect(reply.header("connection") == "close")
            #expect(reply.body == "refused: The answer took too long.")
            #expect(server.log.waits(for: "cancelled"))
            #expect(try client.rest() == "")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that reads nothing of its response is disconnected`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.sendTimeout = .milliseconds(100) }) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET /large?bytes=20000000 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(server.log.waits(for: "GET /large"))
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }
}
