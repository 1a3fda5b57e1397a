import SwiftletEventLoop
import SwiftletHTTPServer
import SwiftletTesting
import Testing

@Suite(.hangLimit)
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
            var served = -1
            while server.server.statistics.requests != served {
                served = server.server.statistics.requests
                pause(.milliseconds(200))
            }
            #expect(served < 200)
        }
    }

    /// By itself the kernel would take all of it, and keep it for minutes after the connection is closed.
    @Test(arguments: PollerKind.allCases)
    func `a client that reads nothing of a small response is disconnected as well`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.sendTimeout = .milliseconds(300) }) { server in
            let client = try SocketClient(port: server.port, receiveBuffer: 4096)
            try client.send("GET /large?bytes=1500000 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(eventually { server.server.statistics.requests == 1 })
            #expect(eventually { server.server.statistics.openConnections == 0 })
            #expect(throws: (any Error).self) { try client.reply() }
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

    /// Small responses, and those to changes, are sent in any case; and a first large one, however large.
    @Test(arguments: PollerKind.allCases)
    func `all clients together may leave only so much unread`(poller: PollerKind) async throws {
        @Sendable func ask(_ client: SocketClient, _ method: String, bytes: Int) throws {
            try client.send("\(method) /large?bytes=\(bytes) HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n")
        }
        let large = 20_000_000
        try await withServer(poller, { $0.maximumHeldOutputBytes = 15_000_000 }) { server in
            for _ in 0..<3 {
                let silent = try SocketClient(port: server.port, receiveBuffer: 4096)
                try ask(silent, "GET", bytes: large)
                pause(.milliseconds(200))
                let refused = try SocketClient(port: server.port, receiveBuffer: 4096)
                try ask(refused, "GET", bytes: large)
                let refusal = try refused.reply()
                #expect(refusal.status == 503)
                #expect(refusal.body.contains("Too many large responses"))
                #expect(server.ends.waits(for: "GET /large 503"))
                refused.close()
                let other = try SocketClient(port: server.port)
                try ask(other, "GET", bytes: 100_000)
                #expect(try other.reply().body.utf8.count == 100_000)
                try ask(other, "POST", bytes: 2_000_000)
                #expect(try other.reply().body.utf8.count == 2_000_000)
                // Once it is read or given up, it counts no longer.
                #expect(try silent.reply().body.utf8.count == large)
                try ask(silent, "GET", bytes: large)
                pause(.milliseconds(200))
                silent.close()
                #expect(eventually { server.server.statistics.openConnections == 1 })
                try ask(other, "GET", bytes: large)
                #expect(try other.reply().body.utf8.count == large)
            }
        }
    }

    /// Of twice the limit, as small responses and those to changes are never withheld.
    @Test(arguments: PollerKind.allCases)
    func `who leaves too much unread together with others is cut off, the slowest first`(
        poller: PollerKind
    ) async throws {
        try await withServer(poller, { $0.maximumHeldOutputBytes = 1_000_000 }) { server in
            let request = "POST /large?bytes=20000000 HTTP/1.1\r\nHost: test\r\nContent-Length: 0\r\n\r\n"
            let silent = try (0..<5).map { _ in try SocketClient(port: server.port, receiveBuffer: 4096) }
            for client in silent {
                try client.send(request)
                pause(.milliseconds(100))
            }
            #expect(eventually { server.server.statistics.openConnections == 1 })
            let reader = try SocketClient(port: server.port)
            try reader.send(request)
            #expect(try reader.reply().body.utf8.count == 20_000_000)
            withExtendedLifetime(silent) {}
        }
    }

    /// Anybody can ask for small ones, and not read them.
    @Test(arguments: PollerKind.allCases)
    func `unread small responses withhold no large ones`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumHeldOutputBytes = 2_000_000 }) { server in
            let request = Array("GET /large?bytes=100000 HTTP/1.1\r\nHost: test\r\n\r\n".utf8)
            let silent = try (0..<10).map { _ in try SocketClient(port: server.port, receiveBuffer: 4096) }
            for client in silent {
                // More than the kernel's buffers take.
                for _ in 0..<10 { _ = client.sendWithoutWaiting(Array(repeatElement(request, count: 20).joined())) }
            }
            pause(.milliseconds(300))
            #expect(server.server.statistics.openConnections == 10)
            let reader = try SocketClient(port: server.port)
            for _ in 0..<5 {
                try reader.send("GET /large?bytes=1500000 HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try reader.reply().body.utf8.count == 1_500_000)
            }
            withExtendedLifetime(silent) {}
        }
    }

    /// What has been read of a response is released before the rest is.
    @Test(arguments: PollerKind.allCases)
    func `who reads a large response slowly holds only the rest of it`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumHeldOutputBytes = 20_000_000 }) { server in
            let slow = try SocketClient(port: server.port)
            try slow.send("GET /large?bytes=60000000 HTTP/1.1\r\nHost: test\r\n\r\n")
            let other = try SocketClient(port: server.port)
            func isAdmitted() throws -> Bool {
                try other.send("GET /large?bytes=1000000 HTTP/1.1\r\nHost: test\r\n\r\n")
                return try other.reply().status == 200
            }
            pause(.milliseconds(200))
            #expect(try !isAdmitted())
            for _ in 0..<55 { try slow.skip(1_000_000) }
            #expect(eventually { (try? isAdmitted()) == true })
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

    /// A request of 200 kB as far as its first 120 kB.
    private static let begun =
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 200000\r\n\r\n" + String(repeating: "x", count: 120_000)

    @Test(arguments: PollerKind.allCases)
    func `all clients together may have only so much content under way`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumHeldBodyBytes = 200_000 }) { server in
            let first = try SocketClient(port: server.port)
            try first.send(Self.begun)
            #expect(eventually { server.server.statistics.openConnections == 1 })
            pause(.milliseconds(100))
            let second = try SocketClient(port: server.port)
            try second.send(Self.begun)
            let refusal = try second.reply()
            #expect(refusal.status == 503)
            #expect(refusal.body.hasPrefix("refused: Too many large requests"))
            // What is small finds room, and so does what was let in before.
            let third = try SocketClient(port: server.port)
            try third.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 10000\r\n\r\n")
            pause(.milliseconds(50))
            try third.send(String(repeating: "y", count: 10_000))
            #expect(try third.reply().status == 200)
            try first.send(String(repeating: "x", count: 40_000))
            pause(.milliseconds(50))
            first.sendInBackground(String(repeating: "x", count: 40_000))
            #expect(try first.reply().body.utf8.count == 200_000)
        }
    }

    @Test func `content that arrives at once counts as well`() async throws {
        try await withServer(.default, { $0.maximumHeldBodyBytes = 20_000 }) { server in
            for (size, status) in [(36_000, 200), (37_000, 503), (36_000, 200)] {
                let client = try SocketClient(port: server.port)
                let head = "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: \(size)\r\n\r\n"
                try client.send(head + String(repeating: "x", count: size))
                #expect(try client.reply().status == status)
            }
        }
    }

    @Test(arguments: [PollerKind.default], ["answered", "abandoned", "refused"])
    func `content counts until it is answered or dropped`(poller: PollerKind, end: String) async throws {
        let configure: (inout HTTPServerConfiguration) -> Void = { configuration in
            configuration.maximumHeldBodyBytes = 200_000
            configuration.bodyTimeout = .milliseconds(end == "refused" ? 300 : 5000)
        }
        try await withServer(poller, configure) { server in
            // Each of them leaves its place to the next.
            for _ in 0..<4 {
                let client = try SocketClient(port: server.port)
                try client.send(Self.begun)
                pause(.milliseconds(100))
                switch end {
                case "answered":
                    client.sendInBackground(String(repeating: "x", count: 80_000))
                    #expect(try client.reply().status == 200)
                case "refused": #expect(try client.reply().status == 408)
                default: client.close()
                }
            }
            let last = try SocketClient(port: server.port)
            last.sendInBackground(Self.begun + String(repeating: "x", count: 80_000))
            #expect(try last.reply().status == 200)
        }
    }
}
