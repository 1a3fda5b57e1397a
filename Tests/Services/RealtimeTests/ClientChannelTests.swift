import Foundation
import SwiftletClient
import SwiftletJSON
import SwiftletTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Channels as an app uses them, over a WebSocket of the tests: Foundation has none on Linux.
@Suite(.needsDatabase, .hangLimit)
struct ClientChannelTests {
    private struct Sockets: SocketTransport {
        /// All that were opened.
        let opened = Opened()

        final class Opened: Sendable {
            private let all = Mutex<[Connection]>([])
            func add(_ connection: Connection) { all.withLock { $0.append(connection) } }
            var count: Int { all.withLock(\.count) }
            func closeLast() async { await all.withLock(\.last)?.close() }
        }

        func connect(_ request: URLRequest) async throws -> any SocketConnection {
            guard let url = request.url, url.scheme == "ws", let port = url.port, let query = url.query() else {
                throw URLError(.badURL)
            }
            let path = "\(url.path)?\(query)"
            let result = await blocking { Result { try WebSocketClient(port: port, path: path) } }
            guard let socket = try? result.get(), socket.handshake.status == 101 else {
                throw URLError(.cannotConnectToHost)
            }
            let connection = Connection(socket: socket)
            opened.add(connection)
            return connection
        }
    }

    private struct Connection: SocketConnection {
        let socket: WebSocketClient

        func send(_ text: String) async throws {
            try await blocking { Result { try socket.send(text) } }.get()
        }

        func receive() async throws -> String {
            while true {
                switch try await blocking({ Result { try socket.next() } }).get() {
                case .text(let text): return text
                case .close, .end: throw URLError(.networkConnectionLost)
                default: break
                }
            }
        }

        func close() async { socket.socket.finishSending() }
    }

    private struct Line: Codable, Sendable, Equatable {
        var text: String
        var sentAt: Int
    }

    /// What listeners were given.
    private actor Heard {
        private(set) var lines: [String] = []
        private(set) var present: [String] = []
        private(set) var statuses: [ChannelStatus] = []
        func add(_ line: String) { lines.append(line) }
        func set(_ present: [String]) { self.present = present }
        func add(_ status: ChannelStatus) { statuses.append(status) }
    }

    /// Somebody's app on a room.
    private final class App: Sendable {
        let sockets = Sockets()
        let realtime: RealtimeClient
        let room: RealtimeChannel
        let heard = Heard()
        private let tasks: Mutex<[Task<Void, Never>]>

        init(
            _ port: Int,
            _ name: String,
            isPrivate: Bool = false,
            token: String? = nil,
            transport: (any Transport)? = nil
        ) async throws {
            let base = try #require(URL(string: "http://127.0.0.1:\(port)"))
            var configuration = APIClient.Configuration(baseURL: base, apiKey: try TestRealtime.token())
            configuration.retry.sleep = { _ in try await Task.sleep(for: .milliseconds(20)) }
            var secrets: [String: Data] = [:]
            if let token {
                let session = #"{"accessToken":"\#(token)","refreshToken":"none","user":{"id":"\#(name)"}}"#
                secrets["session"] = Data(session.utf8)
            }
            let client = APIClient(
                configuration: configuration,
                tokens: InMemoryTokenStore(secrets),
                transport: transport
            )
            realtime = RealtimeClient(client, transport: sockets)
            room = await realtime.channel("room", isPrivate: isPrivate, presenceKey: name)
            tasks = Mutex([])
            let (room, heard, realtime) = (room, heard, realtime)
            let (statuses, messages, presence) = (room.statuses, room.messages, room.presence)
            tasks.withLock { tasks in
                tasks = [
                    Task { await realtime.run() },
                    Task { for await status in statuses { await heard.add(status) } },
                    Task {
                        for await message in messages {
                            let line = try? message.decode(Line.self)
                            await heard.add("\(message.event) \(line?.text ?? "?")")
                        }
                    },
                    Task {
                        for await members in presence {
                            await heard.set(members.map { "\($0.key) \((try? $0.decode(Line.self).text) ?? "?")" })
                        }
                    },
                ]
            }
        }

        func isJoined(times: Int = 1) async throws -> Bool {
            try await eventually(within: .seconds(20)) {
                await heard.statuses.count { $0 == .joined } >= times
            }
        }

        func stop() async {
            for task in tasks.withLock(\.self) { task.cancel() }
            for task in tasks.withLock(\.self) { await task.value }
        }
    }

    /// A stream that a cancelled task has waited for is over: the second run would go round and round.
    @Test func `a client runs again after it was stopped`() async throws {
        struct Unreachable: SocketTransport {
            let asked: AsyncStream<Void>.Continuation

            func connect(_ request: URLRequest) async throws -> any SocketConnection {
                asked.yield()
                throw URLError(.cannotConnectToHost)
            }
        }
        let (asked, signal) = AsyncStream.makeStream(of: Void.self)
        let base = try #require(URL(string: "http://127.0.0.1:1"))
        var configuration = APIClient.Configuration(baseURL: base, apiKey: "key")
        configuration.retry.sleep = { _ in try await Task.sleep(for: .seconds(3600)) }
        let realtime = RealtimeClient(
            APIClient(configuration: configuration),
            transport: Unreachable(asked: signal)
        )
        let room = await realtime.channel("room")
        let first = Task { await realtime.run() }
        #expect(try await eventually { await realtime.idleRounds == 1 })
        first.cancel()
        await first.value
        let before = await realtime.idleRounds
        let running = Task { await realtime.run() }
        #expect(try await eventually { await realtime.idleRounds > before })
        // As many turns for the run, if it wants them.
        for _ in 1...500 { _ = await realtime.channel("room") }
        #expect(await realtime.idleRounds == before + 1)
        await room.join()
        for await _ in asked { break }
        running.cancel()
        await running.value
    }

    @Test func `apps talk, see each other, and come back after their socket was lost`() async throws {
        let server = try await TestRealtime.start()
        let (ada, bob) = (try await App(server.port, "ada"), try await App(server.port, "bob"))
        await ada.room.join()
        await bob.room.join()
        #expect(try await ada.isJoined())
        #expect(try await bob.isJoined())
        try await ada.room.send("line", Line(text: "hello \"bob\"", sentAt: 1))
        #expect(try await eventually { await bob.heard.lines == ["line hello \"bob\""] })
        #expect(await ada.heard.lines.isEmpty)
        try await ada.room.track(Line(text: "here", sentAt: 2))
        #expect(try await eventually { await bob.heard.present == ["ada here"] })

        await ada.sockets.opened.closeLast()
        #expect(try await ada.isJoined(times: 2))
        #expect(ada.sockets.opened.count == 2)
        // Told again by itself, once.
        #expect(try await eventually { await bob.heard.present == ["ada here"] })
        #expect(try await eventually { await ada.heard.present == ["ada here"] })
        try await bob.room.send("line", Line(text: "welcome back", sentAt: 3))
        #expect(try await eventually { await ada.heard.lines == ["line welcome back"] })

        await ada.room.leave()
        #expect(try await eventually { await bob.heard.present.isEmpty })
        await #expect(throws: APIError.network) { try await ada.room.send("line", Line(text: "late", sentAt: 4)) }
        #expect(await ada.heard.statuses.last == .left)
        await ada.room.join()
        #expect(try await ada.isJoined(times: 3))
        await ada.stop()
        await bob.stop()
        await server.stop()
    }

    /// Gives a new session to who refreshes the old one.
    private actor Refreshing: Transport {
        private let token: String
        private(set) var count = 0

        init(_ token: String) { self.token = token }

        func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
            guard let url = request.url,
                let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
            else { throw URLError(.badURL) }
            count += 1
            let session = #"{"accessToken":"\#(token)","refreshToken":"next","user":{"id":"ada"}}"#
            return (Data(session.utf8), response)
        }
    }

    /// One that has expired while the app slept, and one that expires while the channel is joined: a second is the shortest
    /// that a token can live for.
    @Test(arguments: [-60, 1])
    func `a channel goes on with a new token when its own has expired`(seconds: Int) async throws {
        let policy = """
            CREATE POLICY reads ON realtime.messages FOR SELECT TO authenticated USING (realtime.topic() = 'room');
            """
        let server = try await TestRealtime.start(sql: policy)
        let expires = JSONValue(Int(Date().timeIntervalSince1970) + seconds)
        let old = try TestRealtime.token(["role": "authenticated", "sub": "ada", "exp": expires])
        let refreshing = Refreshing(try TestRealtime.token(["role": "authenticated", "sub": "ada"]))
        let app = try await App(server.port, "ada", isPrivate: true, token: old, transport: refreshing)
        await app.room.join()
        let isRenewed = try await eventually(within: .seconds(60)) { await refreshing.count == 1 }
        #expect(isRenewed)
        let isHeard = try await eventually(within: .seconds(60)) {
            try server.execute(#"SELECT realtime.send('{"text":"hello","sentAt":1}', 'line', 'room', true)"#)
            return await !app.heard.lines.isEmpty
        }
        #expect(isHeard)
        #expect(await app.heard.statuses.last == .joined)
        // The socket has outlived the token.
        #expect(app.sockets.opened.count == 1)
        await app.stop()
        await server.stop()
    }

    @Test func `a private channel is joined with the session's token, or refused with a reason`() async throws {
        let policies = """
            CREATE POLICY reads ON realtime.messages FOR SELECT TO authenticated USING (realtime.topic() = 'room');
            CREATE POLICY writes ON realtime.messages FOR INSERT TO authenticated WITH CHECK (realtime.topic() = 'room');
            """
        let server = try await TestRealtime.start(sql: policies)
        let token = try TestRealtime.token(["role": "authenticated", "sub": "ada"])
        let member = try await App(server.port, "ada", isPrivate: true, token: token)
        let stranger = try await App(server.port, "bob", isPrivate: true)
        await member.room.join()
        await stranger.room.join()
        #expect(try await member.isJoined())
        let isRefused = try await eventually {
            await stranger.heard.statuses.contains {
                if case .refused(let why) = $0 { why.contains("permissions") } else { false }
            }
        }
        #expect(isRefused)
        await member.stop()
        await stranger.stop()
        await server.stop()
    }
}
