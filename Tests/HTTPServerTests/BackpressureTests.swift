import EventLoop
import HTTPServer
import SwiftletTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BackpressureTests {
    /// The kernel's buffers and ours take some megabytes, and then no further request may be begun.
    @Test(arguments: PollerKind.allCases)
    func `a client that never reads its responses is served no further requests`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            let request = Array("GET /large?bytes=100000 HTTP/1.1\r\nHost: test\r\n\r\n".utf8)
            for _ in 0..<500 {
                _ = client.sendWithoutWaiting(Array(repeatElement(request, count: 20).joined()))
                pause(.milliseconds(1))
            }
            let served = server.server.statistics.requests
            pause(.milliseconds(100))
            #expect(server.server.statistics.requests == served)
            #expect(served < 200)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a response that does not fit at once arrives whole`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            for size in [1_000_000, 10_000_000, 1] {
                try client.send("GET /large?bytes=\(size) HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply()
                #expect(reply.body.utf8.count == size)
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `large pipelined responses to a slow reader arrive in order`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            let sizes = (1...40).map { $0 * 10000 }
            try client.send(sizes.map { "GET /large?bytes=\($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            for size in sizes {
                #expect(try client.reply().body.utf8.count == size)
                pause(.milliseconds(2))
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a large body arrives whole`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            let body = String(repeating: "0123456789", count: 100_000)
            client.sendInBackground("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 1000000\r\n\r\n" + body)
            #expect(try client.reply().body == body)
        }
    }
}
