import SwiftletEventLoop
import SwiftletHTTP
import SwiftletTesting
import Testing

@testable import SwiftletHTTPServer

@Suite(.hangLimit)
struct ListeningTests {
    @Test(arguments: [(1, 1), (1, 2), (2, 1), (2, 2)])
    func `a taken port is named, however many loops listen`(first: Int, second: Int) async throws {
        try await withServer(.default, loops: first) { server in
            #expect(throws: HTTPServerError.portTaken(host: "127.0.0.1", port: server.port)) {
                try TestServer.start(.default, loops: second) { $0.port = server.port }
            }
            #expect(
                HTTPServerError.portTaken(host: "127.0.0.1", port: 80).description
                    == "port 80 on 127.0.0.1 is taken by another program"
            )
        }
    }

    @Test func `a port can be used again at once`() async throws {
        let port = try #require(unassignedPort())
        for _ in 0..<3 {
            try await listeningAgain {
                try await withServer(.default, loops: 2, { $0.port = port }) { server in
                    let client = try SocketClient(port: server.port)
                    try client.send("GET /1 HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
                    #expect(try client.reply().body == "/1")
                }
            }
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `all loops get connections`(poller: PollerKind) async throws {
        try await withServer(poller, loops: 2) { server in
            var clients: [SocketClient] = []
            for _ in 0..<64 {
                let client = try SocketClient(port: server.port)
                try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply().body == "/1")
                clients.append(client)
            }
            let statistics = server.server.statistics
            #expect(statistics.openConnections == 64)
            #expect(statistics.loops.map(\.openConnections).allSatisfy { $0 > 0 })
        }
    }

    @Test(arguments: ["0.0.0.0", "localhost", "::", ""])
    func `listens on names and on every address`(host: String) async throws {
        try await withServer(.default, { $0.host = host }) { server in
            let client = try SocketClient(port: server.port)
            try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try client.reply().body == "/1")
        }
    }

    @Test func `an unknown host is named in the error`() {
        #expect(throws: HTTPServerError.unknownHost("no such host")) {
            try TestServer.start(.default) { $0.host = "no such host" }
        }
        #expect(throws: HTTPServerError.unknownHost("192.0.2.1")) {
            try TestServer.start(.default) { $0.host = "192.0.2.1" }
        }
    }

    @Test func `a start that fails closes the sockets that it has opened`() throws {
        let group = try EventLoopGroup.start(count: 1)
        defer { group.stop() }
        weak var abandoned: Worker?
        do {
            let worker = Worker(
                loop: group.loops[0],
                configuration: HTTPServerConfiguration(),
                handler: HTTPHandler(respond: { _ in Response() }, refuse: { _ in Response() }),
                admission: Admission(maximum: 1),
                certificates: nil
            )
            worker.add(try SystemCall.makeSocket(for: try SocketAddress.resolve(host: "127.0.0.1", port: 0)[0]))
            abandoned = worker
        }
        #expect(abandoned == nil)
    }
}
