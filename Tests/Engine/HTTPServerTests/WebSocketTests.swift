import Dispatch
import SwiftletEventLoop
import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletHTTPServer

@Suite(.hangLimit)
struct WebSocketTests {
    @Test(arguments: PollerKind.allCases)
    func `a request becomes a WebSocket, and messages go both ways`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket", early: ClientFrame.text("early").bytes)
            #expect(client.handshake.status == 101)
            #expect(client.handshake.header("upgrade") == "websocket")
            #expect(client.handshake.header("connection") == "Upgrade")
            #expect(client.handshake.header("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            #expect(client.handshake.header("x-answer") == "42")
            #expect(client.handshake.header("content-length") == nil)
            #expect(try client.next() == .text("early"))
            let long = String(repeating: "☃", count: 30_000)
            try client.send(long)
            try client.send(ClientFrame(first: 0x82, payload: [0, 255]))
            #expect(try client.next() == .text(long))
            #expect(try client.next() == .binary([0, 255]))
            #expect(server.server.statistics.openWebSockets == 1)
            #expect(server.ends.waits(for: "GET /socket 101"))
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `frames that arrive byte by byte are read`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            let frames = [
                ClientFrame(first: 0x01, payload: Array("ha".utf8)), ClientFrame(first: 0x89, payload: [5]),
                .continuation(Array("lf".utf8), isFinal: true),
            ]
            for byte in frames.flatMap(\.bytes) {
                try client.socket.send([byte])
                pause(.milliseconds(1))
            }
            #expect(try client.next() == .pong([5]))
            #expect(try client.next() == .text("half"))
        }
    }

    /// The client's frame, what is echoed, and what follows.
    @Test(arguments: PollerKind.allCases)
    func `a close is answered, and the connection ends`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            try client.socket.send(ClientFrame.text("last").bytes + ClientFrame.close(1000).bytes)
            #expect(try client.next() == .text("last"))
            #expect(try client.next() == .close(1000))
            #expect(try client.next() == .end)
            client.socket.close()
            #expect(server.log.waits(for: "ended"))
            #expect(eventually { server.server.statistics.openConnections == 0 })
            #expect(server.log.all.filter { $0 == "ended" }.count == 1)
            #expect(server.server.statistics.openWebSockets == 0)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a session closes, and what the client still sends is dropped`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            try client.socket.send(ClientFrame.text("close").bytes + ClientFrame.text("too late").bytes)
            #expect(try client.next() == .close(1008))
            #expect(server.log.waits(for: "ended"))
            try client.send(.close(1008))
            #expect(try client.next() == .end)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a client that does not answer the close is cut off`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket?send=100")
            try client.send("close")
            #expect(try client.next() == .close(1008))
            #expect(try client.next() == .end)
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    /// A frame, and the code that it is refused with.
    @Test(
        arguments: [
            (ClientFrame(first: 0x81, payload: [1], isMasked: false), 1002),
            (ClientFrame(first: 0xC1), 1002),
            (ClientFrame(first: 0x83), 1002),
            (ClientFrame(first: 0x09), 1002),
            (ClientFrame(first: 0x80), 1002),
            (ClientFrame(first: 0x88, payload: [3, 237]), 1002),
            (ClientFrame(first: 0x81, payload: [0xFF]), 1007),
            (ClientFrame(first: 0x82, length: [127, 0, 0, 0, 0, 1, 0, 0, 0]), 1009),
            (ClientFrame(first: 0x82, length: [127, 255, 0, 0, 0, 0, 0, 0, 0]), 1002),
        ]
    )
    func `an illegal frame ends the socket with its code`(frame: ClientFrame, code: Int) async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            try client.socket.send(ClientFrame.text("before").bytes + frame.bytes + ClientFrame.text("after").bytes)
            #expect(try client.next() == .text("before"))
            #expect(try client.next() == .close(UInt16(code)))
            #expect(try client.next() == .end)
            #expect(server.log.waits(for: "ended"))
        }
    }

    @Test func `fragments for ever end the socket`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket?fragments=10")
            let empty = ClientFrame.continuation([], isFinal: false).bytes
            try client.send(.text("a", isFinal: false))
            try client.socket.send(Array(repeatElement(empty, count: 8).joined()))
            try client.send(.continuation(Array("b".utf8), isFinal: true))
            #expect(try client.next() == .text("ab"))
            try client.send(.text("a", isFinal: false))
            try client.socket.send(Array(repeatElement(empty, count: 9).joined()))
            #expect(try client.next() == .close(1009))
        }
    }

    @Test func `a flood of pings by a client that reads nothing ends it, and takes bounded memory`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket?send=200", receiveBuffer: 4096)
            let pings = Array(
                repeatElement(ClientFrame(first: 0x89, payload: [UInt8](repeating: 1, count: 125)).bytes, count: 400)
                    .joined()
            )
            #expect(
                eventually {
                    _ = client.socket.sendWithoutWaiting(pings)
                    return server.server.statistics.openConnections == 0
                }
            )
            #expect(server.log.waits(for: "ended"))
        }
    }

    @Test func `a client that leaves too much unread is cut off`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket?unsent=1000000", receiveBuffer: 4096)
            try client.send("spam 2 400000")
            #expect(try client.next() == .binary([UInt8](repeating: 7, count: 400_000)))
            #expect(try client.next() == .binary([UInt8](repeating: 7, count: 400_000)))
            try client.send("spam 100000 1000")
            #expect(server.log.waits(for: "ended"))
            #expect(eventually { server.server.statistics.openConnections == 0 })
        }
    }

    @Test func `a client that reads slowly gets everything`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket", receiveBuffer: 4096)
            try client.send("spam 100 30000")
            #expect(server.log.waits(for: "spammed"))
            for _ in 0..<100 { #expect(try client.next() == .binary([UInt8](repeating: 7, count: 30_000))) }
            try client.send("still here")
            #expect(try client.next() == .text("still here"))
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a silent client is pinged, and closed if it stays silent`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket?idle=400&send=100")
            #expect(try client.next() == .ping)
            try client.send(ClientFrame(first: 0x8A))
            #expect(try client.next() == .ping)
            #expect(try client.next() == .close(1012))
            #expect(try client.next() == .end)
        }
    }

    @Test func `a paused session gets nothing until it resumes, and then everything in order`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            try client.socket.send(ClientFrame.text("pause").bytes + ClientFrame.text("1").bytes)
            #expect(server.log.waits(for: "paused"))
            try client.send("2")
            server.log.add("open")
            #expect(try client.next() == .text("1"))
            #expect(try client.next() == .text("2"))
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `a shutdown closes with 1012 and does not wait for its grace`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let clients = try (0..<5).map { _ in try WebSocketClient(port: server.port, path: "/socket") }
            for client in clients { try client.send("hello") }
            for client in clients { #expect(try client.next() == .text("hello")) }
            let isOver = server.beginShutdown(grace: .seconds(10))
            for client in clients {
                #expect(try client.next() == .close(1012))
                try client.send(.close(1012))
                #expect(try client.next() == .end)
                client.socket.close()
            }
            isOver.wait()
        }
    }

    @Test func `clients that ignore a shutdown are cut off after its grace`() async throws {
        try await withServer(.epoll) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            let isOver = server.beginShutdown(grace: .milliseconds(100))
            isOver.wait()
            #expect(try client.next() == .close(1012))
            #expect(try client.next() == .end)
        }
    }

    @Test func `a client that vanishes ends its session`() async throws {
        try await withServer(.epoll) { server in
            try WebSocketClient(port: server.port, path: "/socket").socket.reset()
            #expect(eventually { server.server.statistics.openConnections == 0 })
            #expect(server.log.waits(for: "ended"))
            try WebSocketClient(port: server.port, path: "/socket").socket.finishSending()
            #expect(
                eventually {
                    server.server.statistics.acceptedConnections == 2 && server.server.statistics.openConnections == 0
                }
            )
            #expect(server.server.statistics.openWebSockets == 0)
        }
    }

    @Test func `a WebSocket outlives the time limits of requests`() async throws {
        try await withServer(
            .epoll,
            {
                $0.requestTimeout = .milliseconds(50)
                $0.idleTimeout = .milliseconds(50)
            }
        ) { server in
            let client = try WebSocketClient(port: server.port, path: "/socket")
            pause(.milliseconds(200))
            try client.send("still here")
            #expect(try client.next() == .text("still here"))
        }
    }

    @Test func `an ordinary request to a WebSocket is answered by its handler`() async throws {
        try await withServer(.epoll) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /socket HTTP/1.1\r\nHost: test\r\n\r\nGET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().status == 400)
            #expect(try client.reply().body == "/2")
        }
    }
}
