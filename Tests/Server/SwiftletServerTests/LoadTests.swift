import Foundation
import SwiftletPostgres
import SwiftletTesting
import Synchronization
import Testing

/// `swiftlet serve` with its database, as many clients meet it.
@Suite(
    .needsDatabase,
    .serialized,
    .hangLimit
)
final class LoadTests {
    private let folder: String
    private let database: String

    init() throws {
        folder = try SwiftletProcess.makeFolder()
        database = try TestDatabase.create()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func start(_ settings: [String: String] = [:]) async throws -> (SwiftletProcess, port: Int) {
        let environment = [
            "DATABASE_URL": database, "JWT_SECRET": TestApplication.secret, "HOST": "127.0.0.1",
            "LOG_FORMAT": "json",
        ]
        return try await SwiftletProcess.serveReady(in: folder, environment.merging(settings) { $1 })
    }

    private static func request(_ method: String, _ target: String, token: String, _ body: String = "") -> String {
        """
        \(method) \(target) HTTP/1.1\r
        Host: localhost\r
        Authorization: Bearer \(token)\r
        Content-Length: \(body.utf8.count)\r
        \r
        \(body)
        """
    }

    @Test func `times are in UTC, whatever the environment tells libpq`() async throws {
        let (process, port) = try await start(["PGTZ": "America/New_York", "PGDATESTYLE": "German"])
        let token = try TestApplication.token(tenant: "tenant-a", user: "alice")
        let client = try SocketClient(port: port)
        let body = #"{"title":"x","due_date":"2026-05-04T10:00:00+02:00"}"#
        try client.send(Self.request("POST", "/tasks", token: token, body))
        let text = try client.reply().body
        #expect(text.contains(#""due_date":"2026-05-04T08:00:00Z""#), "\(text)")
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `ten thousand connections are open at once and all are served`() async throws {
        try #require(canOpen(descriptors: 11_000))
        let (process, port) = try await start(["MAX_CONNECTIONS": "10100"])
        let token = try TestApplication.token(tenant: "tenant-a", user: "alice")
        let health = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
        var clients: [SocketClient] = []
        for _ in 0..<10_000 {
            let client = try SocketClient(port: port)
            try client.send(health)
            clients.append(client)
        }
        for client in clients { #expect(try client.reply().status == 200) }

        // All are still there, and somebody else is served as if they were not.
        let another = try SocketClient(port: port)
        let stopwatch = Stopwatch()
        try another.send(Self.request("POST", "/tasks", token: token, #"{"title":"in a crowd"}"#))
        #expect(try another.reply().status == 201)
        #expect(stopwatch.elapsed < .seconds(5))
        // In waves that the database's queue takes: what is beyond it is refused with 503.
        for wave in stride(from: 0, to: clients.count, by: 500) {
            let clients = clients[wave..<wave + 500]
            for client in clients { try client.send(Self.request("GET", "/tasks?limit=1", token: token)) }
            for client in clients { #expect(try client.reply().body.contains("in a crowd")) }
        }

        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    @Test func `a stop under load loses nothing that was acknowledged and cuts no answer`() async throws {
        let (process, port) = try await start()
        let token = try TestApplication.token(tenant: "tenant-a", user: "alice")
        let writers = (0..<16).map { Writer(number: $0, port: port, token: token) }
        await withTaskGroup { group in
            for writer in writers { group.addTask { await blocking { writer.run() } } }
            group.addTask {
                _ = try? await eventually { writers.map(\.acknowledged.count).reduce(0, +) > 300 }
                process.send(SIGTERM)
            }
        }
        #expect(try await process.end() == 0)
        let stored = Set(
            try BlockingConnection.connect(to: database).query("SELECT title FROM tasks").map { $0[0] ?? "" }
        )
        let acknowledged = writers.flatMap(\.acknowledged)
        #expect(acknowledged.count > 100)
        #expect(acknowledged.allSatisfy(stored.contains))
        #expect(writers.flatMap(\.faults) == [])
    }

    @Test func `ten thousand wrong logins lock their sender out and hold nobody else up`() async throws {
        let (process, port) = try await start()
        let siege = Siege(port: port, token: try TestApplication.token(tenant: "tenant-a", user: "alice"))
        await withTaskGroup { group in
            group.addTask {
                await withTaskGroup { attackers in
                    for number in 0..<16 {
                        attackers.addTask { await blocking { siege.guess(attacker: number, times: 625) } }
                    }
                }
                siege.end()
            }
            group.addTask { await blocking { siege.watch() } }
        }
        // So many failures lock an address, though each was of an account of its own.
        let counts = siege.statuses
        #expect(counts[400, default: 0] <= 60)
        #expect(counts[429, default: 0] >= 9_900)
        #expect(counts.values.reduce(0, +) == 10_000)
        let waits = siege.waits.sorted()
        try #require(waits.count > 50)
        // Behind a password's hash each would wait for its 50 ms; a busy machine may hold up some, but makes none faster.
        #expect(waits[waits.count / 4] < .milliseconds(25))
        #expect(waits[waits.count * 99 / 100] < .seconds(2))
        process.send(SIGTERM)
        #expect(try await process.end() == 0)
    }

    /// People who guess passwords, and somebody who works meanwhile.
    private final class Siege: Sendable {
        private struct State {
            var statuses: [Int: Int] = [:]
            var waits: [Duration] = []
            var isOver = false
        }

        private let port: Int
        private let token: String
        private let state = Mutex(State())

        var statuses: [Int: Int] { state.withLock(\.statuses) }
        var waits: [Duration] { state.withLock(\.waits) }

        init(port: Int, token: String) {
            self.port = port
            self.token = token
        }

        func end() { state.withLock { $0.isOver = true } }

        func guess(attacker: Int, times: Int) {
            guard let client = try? SocketClient(port: port) else { return }
            for turn in 0..<times {
                let body = #"{"email":"nobody-\#(attacker)-\#(turn)@example.com","password":"a guess"}"#
                try? client.send(LoadTests.request("POST", "/mobile-auth/login", token: "none", body))
                guard let reply = try? client.reply() else { return }
                state.withLock { $0.statuses[reply.status, default: 0] += 1 }
            }
        }

        func watch() {
            guard let client = try? SocketClient(port: port) else { return }
            while !state.withLock(\.isOver) {
                let stopwatch = Stopwatch()
                try? client.send(LoadTests.request("GET", "/tasks?limit=1", token: token))
                guard (try? client.reply())?.status == 200 else { return }
                state.withLock { $0.waits.append(stopwatch.elapsed) }
                pause(.milliseconds(5))
            }
        }
    }

    /// One client that creates tasks, one after the other, until the server is gone.
    private final class Writer: Sendable {
        private struct State {
            var acknowledged: [String] = []
            var faults: [String] = []
        }

        private let number: Int
        private let port: Int
        private let token: String
        private let state = Mutex(State())

        var acknowledged: [String] { state.withLock(\.acknowledged) }
        var faults: [String] { state.withLock(\.faults) }

        init(number: Int, port: Int, token: String) {
            self.number = number
            self.port = port
            self.token = token
        }

        func run() {
            for turn in 0... {
                // Refused: the server has stopped listening.
                guard let client = try? SocketClient(port: port) else { return }
                while write(over: client, "task \(turn) of \(number)") {}
                if turn == 50 { return }
            }
        }

        /// False when the connection has ended.
        private func write(over client: SocketClient, _ title: String) -> Bool {
            let title = "\(title), \(state.withLock { $0.acknowledged.count })"
            let body = #"{"title":"\#(title)"}"#
            guard (try? client.send(LoadTests.request("POST", "/tasks", token: token, body))) != nil else {
                return false
            }
            let reply: SocketClient.Reply
            do {
                reply = try client.reply()
            } catch {
                // Closed or reset before the answer: fair, as long as no byte of it had come.
                let text = "\(error)"
                if !text.contains("behind \"\"") { state.withLock { $0.faults.append(text) } }
                return false
            }
            state.withLock { state in
                if reply.status == 201 { state.acknowledged.append(title) } else { state.faults.append(reply.head) }
            }
            return reply.header("connection") != "close"
        }
    }
}
