import SwiftletEventLoop
import Glibc
import SwiftletHTTPServer
import SwiftletTesting
import Testing

/// What takes much of the process runs in a process of its own, where only what throws counts as a failure.
@Suite(.hangLimit)
struct CapacityTests {
    @Test(arguments: PollerKind.allCases)
    func `clients over the limit wait until another connection closes`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumConnections = 2 }) { server in
            let first = try SocketClient(port: server.port)
            let second = try SocketClient(port: server.port)
            for client in [first, second] {
                try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply().body == "/1")
            }
            let third = try SocketClient(port: server.port)
            try third.send("GET /3 HTTP/1.1\r\nHost: test\r\n\r\n")
            pause(.milliseconds(150))
            #expect(server.server.statistics.openConnections == 2)
            #expect(server.log.all == ["GET /1", "GET /1"])
            first.close()
            #expect(try third.reply().body == "/3")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `the longest idle connection makes room for a new client`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumConnections = 2 }) { server in
            let silent = try SocketClient(port: server.port)
            #expect(eventually { server.server.statistics.openConnections == 1 })
            let user = try SocketClient(port: server.port)
            try user.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try user.reply().body == "/1")
            let late = try SocketClient(port: server.port)
            try late.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try late.reply().body == "/2")
            #expect(try silent.rest() == "")
        }
    }

    @Test(arguments: PollerKind.allCases)
    func `an address has its share of the connections`(poller: PollerKind) async throws {
        try await withServer(poller, { $0.maximumConnectionsPerAddress = 2 }) { server in
            let first = try SocketClient(port: server.port)
            let second = try SocketClient(port: server.port)
            for client in [first, second] {
                try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
                #expect(try client.reply().body == "/1")
            }
            #expect(try SocketClient(port: server.port).rest() == "")
            first.close()
            #expect(eventually { server.server.statistics.openConnections == 1 })
            let next = try SocketClient(port: server.port)
            try next.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
            #expect(try next.reply().body == "/2")
        }
    }

    /// The process has no descriptor left: the server must neither fail nor spin, and recover by itself.
    @Test(arguments: PollerKind.allCases.map(\.rawValue))
    func `running out of descriptors is survived`(poller: String) async throws {
        await #expect(processExitsWith: .success) { [poller] in
            try await withServer(try #require(PollerKind(rawValue: poller))) { server in
                let early = try SocketClient(port: server.port)
                try early.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
                try #require(early.reply().body == "/1")

                let late = try SocketClient(port: server.port, connects: false)
                let hoard = Hoard()
                try late.connect(to: server.port)
                try late.send("GET /2 HTTP/1.1\r\nHost: test\r\n\r\n")
                try #require(eventually { server.server.statistics.acceptFailures > 0 })
                try early.send("GET /3 HTTP/1.1\r\nHost: test\r\n\r\n")
                try #require(early.reply().body == "/3")

                let failures = server.server.statistics.acceptFailures
                pause(.milliseconds(500))
                try #require(server.server.statistics.acceptFailures < failures + 50)
                hoard.giveBack()
                try #require(late.reply().body == "/2")
            }
        }
    }

    @Test(
        .enabled(if: canOpen(descriptors: 16000), "the limit on open files is too low"),
        arguments: PollerKind.allCases.map(\.rawValue)
    )
    func `five thousand idle connections leave room for others`(poller: String) async throws {
        await #expect(processExitsWith: .success) { [poller] in
            let kind = try #require(PollerKind(rawValue: poller))
            try await withServer(kind, { $0.headerTimeout = .seconds(60) }) { server in
                try #require(canOpen(descriptors: 16000))
                let before = residentBytes()
                try #require(before > 0)
                var clients: [SocketClient] = []
                for _ in 0..<5000 { clients.append(try SocketClient(port: server.port)) }
                try #require(eventually { server.server.statistics.openConnections == 5000 })
                try #require((residentBytes() - before) / 5000 < 16384)

                let client = try SocketClient(port: server.port)
                try client.send("GET /1 HTTP/1.1\r\nHost: test\r\n\r\n")
                try #require(client.reply().body == "/1")
                for index in stride(from: 0, to: 5000, by: 500) {
                    try clients[index].send("GET /\(index) HTTP/1.1\r\nHost: test\r\n\r\n")
                    try #require(clients[index].reply().body == "/\(index)")
                }
            }
        }
    }
}

/// All descriptors that the process may still open.
private final class Hoard {
    private var numbers: [CInt] = []

    init() {
        while true {
            let number = dup(0)
            guard number >= 0 else { break }
            numbers.append(number)
        }
    }

    func giveBack() {
        for number in numbers { close(number) }
        numbers = []
    }
}

private func residentBytes() -> Int {
    guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
    defer { unsafe fclose(file) }
    var total: CLong = 0
    var resident: CLong = 0
    unsafe withUnsafeMutablePointer(to: &total) { total in
        unsafe withUnsafeMutablePointer(to: &resident) { resident in
            _ = unsafe withVaList([total, resident]) { unsafe vfscanf(file, "%ld %ld", $0) }
        }
    }
    return resident * 4096
}
