import Dispatch
import SwiftletEventLoop
import SwiftletTesting
import Testing

@testable import SwiftletHTTPServer

@Suite(.hangLimit)
struct ShutdownTests {
    @Test(arguments: PollerKind.allCases)
    func `requests in progress are finished with HTTPConnection: close`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let idle = try SocketClient(port: server.port)
            let used = try SocketClient(port: server.port)
            try used.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try used.reply().body == "/1")
            let busy = try SocketClient(port: server.port)
            try busy.send("GET /gate HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(server.log.waits(for: "GET /gate"))

            let isOver = server.beginShutdown(grace: .seconds(5))
            #expect(try used.rest() == "")
            #expect(try idle.rest() == "")
            #expect(throws: (any Error).self) { try SocketClient(port: server.port) }
            server.log.add("open")
            let reply = try busy.reply()
            #expect(reply.body == "passed")
            #expect(reply.header("connection") == "close")
            #expect(try busy.rest() == "")
            isOver.wait()
            #expect(server.server.statistics.openConnections == 0)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `requests that have arrived are answered, the last with HTTPConnection: close`(poller: PollerKind) async throws
    {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send(["/gate", "/2", "/3"].map { "GET \($0) HTTP/1.1\r\nHost: test\r\n\r\n" }.joined())
            #expect(server.log.waits(for: "GET /gate"))
            let isOver = server.beginShutdown(grace: .seconds(5))
            #expect(eventually { (try? SocketClient(port: server.port)) == nil })
            server.log.add("open")
            let replies = try (0..<3).map { _ in try client.reply() }
            #expect(replies.map(\.body) == ["passed", "/2", "/3"])
            #expect(replies.map { $0.header("connection") } == [nil, nil, "close"])
            #expect(try client.rest() == "")
            isOver.wait()
        }
    }

    /// The loop is kept busy, so that the connections and their requests wait in the kernel when the shutdown begins.
    @Test(arguments: PollerKind.allCases)
    func `clients that connected before the shutdown are served`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let gate = DispatchSemaphore(value: 0)
            server.group.loops[0].execute { gate.wait() }
            let clients = try (0..<20).map { number in
                let client = try SocketClient(port: server.port)
                try client.send("GET /\(number) HTTP/1.1\r\nHost: test\r\n\r\n")
                return client
            }
            let isOver = server.beginShutdown(grace: .seconds(5))
            gate.signal()
            for (number, client) in clients.enumerated() {
                let reply = try client.reply()
                #expect(reply.body == "/\(number)")
                #expect(reply.header("connection") == "close")
            }
            isOver.wait()
        }
    }

    /// The shutdown begins in the turn in which the request came, before the poller could tell of it.
    @Test(arguments: PollerKind.allCases)
    func `a request that arrived just before the shutdown is served`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/1")
            let isBusy = DispatchSemaphore(value: 0)
            let gate = DispatchSemaphore(value: 0)
            let isOver = DispatchSemaphore(value: 0)
            server.group.loops[0].execute {
                isBusy.signal()
                gate.wait()
                server.server.beginShutdown(grace: .seconds(5)) { isOver.signal() }
            }
            isBusy.wait()
            try client.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            gate.signal()
            let reply = try client.reply()
            #expect(reply.body == "/2")
            #expect(reply.header("connection") == "close")
            isOver.wait()
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `requests that exceed the grace period are answered with 503`(poller: PollerKind) async throws {
        try await withServer(poller) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /wait?delay=60000 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(server.log.waits(for: "GET /wait"))
            let half = try SocketClient(port: server.port)
            try half.send("POST /wait HTTP/1.1\r\nHost: test\r\nContent-Length: 5\r\n\r\nab")
            let isOver = server.beginShutdown(grace: .milliseconds(100))
            for each in [client, half] {
                let reply = try each.reply()
                #expect(reply.status == 503)
                #expect(reply.header("connection") == "close")
                #expect(try each.rest() == "")
            }
            isOver.wait()
            #expect(server.log.waits(for: "cancelled"))
        }
    }

    /// Clients ask as fast as they can while the server goes down: each answer that begins must come to its end, and a
    /// connection may only end behind an answer that says so, or before a byte of an answer.
    @Test(arguments: PollerKind.allCases)
    func `a shutdown under load truncates no response`(poller: PollerKind) async throws {
        try await withServer(poller, loops: 2) { server in
            let faults = TestServer.Log()
            let clients = (0..<16).map { _ in
                let isOver = DispatchSemaphore(value: 0)
                onThread {
                    ask(server.port, faults)
                    isOver.signal()
                }
                return isOver
            }
            #expect(eventually { server.server.statistics.requests > 200 })
            let isOver = server.beginShutdown(grace: .seconds(5))
            for client in clients { client.wait() }
            isOver.wait()
            #expect(faults.all == [])
        }
    }

    private func ask(_ port: Int, _ faults: TestServer.Log) {
        do {
            let client = try SocketClient(port: port)
            while true {
                try client.send("GET /large?bytes=20000 HTTP/1.1\r\nHost: test\r\n\r\n")
                let reply = try client.reply()
                if reply.body.utf8.count != 20000 { faults.add("cut") }
                if reply.header("connection") == "close" { return }
            }
        } catch {
            // An end between two requests is fair; one within an answer is not.
            let text = "\(error)"
            let isFair = text.contains("behind \"\"") || text.hasPrefix("send") || text.hasPrefix("connect")
            if !isFair { faults.add(text) }
        }
    }
}
