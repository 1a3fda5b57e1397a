import Dispatch
import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
struct StreamingTests {
    private static func upload(_ path: String, _ fields: String) -> String {
        "POST \(path) HTTP/1.1\r\nHost: test\r\n\(fields)\r\n\r\n"
    }

    // MARK: - Requests

    @Test(arguments: PollerKind.allCases)
    func `content is read as it arrives, and the connection goes on`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            for count in [0, 1, 100, 70_000, 3_000_000] {
                try client.send(Self.upload("/upload?slow", "Content-Length: \(count)"))
                try client.send([UInt8](repeating: 1, count: count))
                let reply = try client.reply()
                #expect(reply.body == "\(count) \(count)", "\(reply.head)")
            }
            try client.send("GET /next HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/next")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `chunks may be cut anywhere, and a pipelined request follows them`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(Self.upload("/upload", "Transfer-Encoding: chunked"))
            let rest =
                "3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nTrailer: x\r\n\r\nGET /next HTTP/1.1\r\nHost: test\r\n\r\n"
            for byte in rest.utf8 {
                try client.send([byte])
                pause(.microseconds(200))
            }
            #expect(try client.reply().body.hasPrefix("19 "))
            #expect(try client.reply().body == "/next")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `too much is refused, announced or not`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let announced = try SocketClient(port: server.port)
            try announced.send(Self.upload("/upload", "Content-Length: 3000001"))
            #expect(try announced.reply().status == 413)
            let chunked = try SocketClient(port: server.port)
            try chunked.send(Self.upload("/upload", "Transfer-Encoding: chunked"))
            try chunked.send("2DC6C1\r\n")
            #expect(try chunked.reply().status == 413)
            let broken = try SocketClient(port: server.port)
            try broken.send(Self.upload("/upload", "Transfer-Encoding: chunked"))
            try broken.send("zz\r\n")
            #expect(try broken.reply().status == 400)
            let rest = try broken.rest()
            #expect(rest == "", "\(rest)")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `who is not to send is told so before sending`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(Self.upload("/upload/unread", "Content-Length: 100000\r\nExpect: 100-continue"))
            let reply = try client.reply()
            #expect(reply.status == 401)
            #expect(reply.header("connection") == "close")
            let other = try SocketClient(port: server.port)
            try other.send(Self.upload("/upload", "Content-Length: 4\r\nExpect: 100-continue"))
            #expect(try other.reply(isHead: true).status == 100)
            try other.send([2, 2, 2, 2])
            #expect(try other.reply().body == "4 8")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that breaks off, or only stops sending, ends the reading`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let stopped = try SocketClient(port: server.port)
            try stopped.send(Self.upload("/upload", "Content-Length: 100") + "abc")
            stopped.finishSending()
            #expect(try stopped.reply().status == 400)
            #expect(server.log.waits(for: "incomplete"))
            let gone = try SocketClient(port: server.port)
            try gone.send(Self.upload("/upload", "Content-Length: 100") + "abc")
            #expect(eventually { server.server.statistics.requests == 2 })
            gone.reset()
            #expect(server.log.waits(for: "CancellationError()"))
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an upload under way survives half a close, a slow handler and a shutdown`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.requestTimeout = .milliseconds(500) }) { server in
            let half = try SocketClient(port: server.port)
            try half.send(Self.upload("/upload?slow", "Content-Length: 200000"))
            try half.send([UInt8](repeating: 1, count: 200_000))
            half.finishSending()
            #expect(try half.reply().body == "200000 200000")
            let last = try SocketClient(port: server.port)
            try last.send(Self.upload("/upload", "Content-Length: 300000"))
            try last.send([UInt8](repeating: 1, count: 100_000))
            #expect(server.log.waits(for: "POST /upload"))
            let isOver = server.beginShutdown(grace: .seconds(10))
            try last.send([UInt8](repeating: 1, count: 200_000))
            #expect(try last.reply().body == "300000 300000")
            isOver.wait()
        }
    }

    /// The kernel's buffers take a few megabytes; a handler that does not read holds almost nothing.
    @Test(arguments: PollerKind.allCases)
    func `what nobody reads is not taken from the client`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(Self.upload("/upload?slow", "Content-Length: 3000000"))
            try client.send([UInt8](repeating: 1, count: 3_000_000))
            #expect(try client.reply().body == "3000000 3000000")
        }
    }

    // MARK: - Responses

    @Test(arguments: PollerKind.allCases)
    func `a body of any length arrives whole, to a slow reader too`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            for (query, isChunked) in [
                ("bytes=2000000", true), ("bytes=2000000&length=2000000", false), ("bytes=0", true),
            ] {
                let client = try SocketClient(port: server.port, receiveBuffer: 4096)
                try client.send("GET /stream?\(query) HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply(isHead: true)
                #expect(reply.header("transfer-encoding") == (isChunked ? "chunked" : nil))
                #expect(reply.header("connection") == "close")
                let rest = try client.rest()
                #expect(rest.utf8.filter { $0 == UInt8(ascii: "y") }.count == (query == "bytes=0" ? 0 : 2_000_000))
                if isChunked { #expect(rest.hasSuffix("0\r\n\r\n")) }
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an old client gets the plain body, and HEAD none`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let old = try SocketClient(port: server.port)
            try old.send("GET /stream?bytes=5 HTTP/1.0\r\n\r\n")
            #expect(try old.rest().hasSuffix("\r\n\r\nyyyyy"))
            let broken = try SocketClient(port: server.port)
            try broken.send("GET /stream?bytes=400000&fail=1 HTTP/1.0\r\n\r\n")
            #expect(throws: SocketClient.Failure.self) { try broken.rest() }
            let written = server.log.all.filter { $0 == "wrote" }.count
            let head = try SocketClient(port: server.port)
            try head.send("HEAD /stream?bytes=5&length=5 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try head.reply(isHead: true).header("content-length") == "5")
            try head.send("GET /next HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try head.reply().body == "/next")
            #expect(server.log.all.filter { $0 == "wrote" }.count == written)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a body that breaks off never looks complete`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            for query in ["bytes=400000&fail=1", "bytes=400000&length=400001", "bytes=400000&length=399999"] {
                let client = try SocketClient(port: server.port)
                try client.send("GET /stream?\(query) HTTP/1.1\r\nHost: test\r\n\r\n")
                let rest = (try? client.rest()) ?? ""
                #expect(!rest.hasSuffix("0\r\n\r\n"))
                #expect(rest.utf8.filter { $0 == UInt8(ascii: "y") }.count <= 400_000)
                if query.hasSuffix("399999") { #expect(rest.utf8.count < 400_200) }
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a producer waits for its client, and ends with it`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET /stream?bytes=100000000 HTTP/1.1\r\nHost: test\r\n\r\n")
            _ = try client.reply(isHead: true)
            var written = -1
            while server.log.all.count != written {
                written = server.log.all.count
                pause(.milliseconds(200))
            }
            #expect(written < 400)
            client.reset()
            #expect(server.log.waits(for: "CancellationError()"))
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that does not read is given up`(poller: PollerKind) async throws {
        try await withServer(
            poller,
            {
                $0.sendTimeout = .milliseconds(300)
                $0.requestTimeout = .milliseconds(300)
            }
        ) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET /stream?bytes=100000000 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(server.log.waits(for: "CancellationError()"))
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }
}
