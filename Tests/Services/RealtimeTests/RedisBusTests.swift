import SwiftletJSON
import SwiftletRedis
import SwiftletTesting
import Testing

@testable import SwiftletRealtime

/// Servers on one database that hear each other by a redis (`REALTIME_BUS`).
@Suite(.needsDatabase, .enabled(if: TestRedis.isInstalled, "install redis-server"), .hangLimit)
struct RedisBusTests {
    private func withServers(
        beat: Duration = .seconds(5),
        _ body: @escaping @Sendable (TestRealtime, TestRealtime, TestRedis) async throws -> Void
    ) async throws {
        let redis = try await TestRedis.start(["--requirepass", "secret"])
        let bus = RedisAddress(host: "127.0.0.1", port: redis.port, password: "secret")
        func start(_ url: String? = nil) async throws -> TestRealtime {
            try await TestRealtime.start(databaseURL: url) { settings in
                settings.bus = bus
                settings.beatInterval = beat
                settings.silenceLimit = .seconds(30)
            }
        }
        let first = try await start()
        let second = try await start(first.databaseURL)
        do {
            try await Self.meet(first, second)
            try await body(first, second, redis)
        } catch {
            await second.stop()
            await first.stop()
            throw error
        }
        await second.stop()
        await first.stop()
    }

    private static func meet(_ first: TestRealtime, _ second: TestRealtime) async throws {
        let haveMet = try await eventually(within: .seconds(60)) {
            first.realtime.peerCount == 1 && second.realtime.peerCount == 1
        }
        #expect(haveMet)
    }

    @Test func `broadcasts of every kind and size reach clients of the other server, in order`() async throws {
        try await withServers { first, second, _ in
            #expect(try first.rows("SELECT count(*) FROM swiftlet.realtime_parcels") == ["0"])
            try await onThread {
                let sender = try first.client("2.0.0")
                try sender.join("realtime:room")
                let receiver = try second.client("2.0.0")
                try receiver.join("realtime:room")
                for number in 0..<50 { try sender.broadcast("realtime:room", "x", #"{"n":\#(number)}"#) }
                let large = String(repeating: "é", count: 400_000)
                try sender.broadcast("realtime:room", "large", #"{"text":"\#(large)"}"#)
                try sender.broadcast("realtime:room", "last", "{}")
                for number in 0..<50 { #expect(try receiver.next().payload["payload"]?["n"]?.int == number) }
                #expect(try receiver.next().payload["payload"]?["text"]?.string == large)
                #expect(try receiver.next().payload["event"] == "last")
                let head: [UInt8] = [3, 1, 1, 13, 1, 0, 0]
                try sender.socket.send(
                    ClientFrame(first: 0x82, payload: head + Array("11realtime:roome".utf8) + [0, 255])
                )
                #expect(
                    try receiver.socket.next() == .binary([4, 13, 1, 0, 0] + Array("realtime:roome".utf8) + [0, 255])
                )
                #expect(try sender.isQuiet())
                // What is long is no row of the database.
                #expect(try first.rows("SELECT count(*) FROM swiftlet.realtime_parcels") == ["0"])
            }
        }
    }

    @Test func `presence is one over all servers, and goes with its server`() async throws {
        try await withServers { first, second, _ in
            let ada = try await onThread { try Self.present("ada", on: first) }
            let bob = try await onThread {
                let bob = try Self.present("bob", on: second)
                #expect(try Self.awaits("bob", in: "joins", ada))
                return bob
            }
            // It gives up after a second, which is little on a busy machine.
            let isAlone = try await eventually(within: .seconds(60)) {
                await first.realtime.sayGoodbye()
                return second.realtime.peerCount == 0
            }
            #expect(isAlone)
            #expect(try await onThread { try Self.awaits("ada", in: "leaves", bob) })
        }
    }

    @Test func `while redis is away each server goes on, nothing false is told, and afterwards all is told`()
        async throws
    {
        try await withServers(beat: .milliseconds(100)) { first, second, redis in
            let ada = try await onThread { try Self.present("ada", on: first) }
            let bob = try await onThread { try Self.present("bob", on: second) }
            #expect(try await onThread { try Self.awaits("bob", in: "joins", ada) })
            try await redis.kill()
            for server in [first, second] {
                let isLost = try await eventually(within: .seconds(60)) { !server.realtime.statistics.isBusConnected }
                #expect(isLost)
            }
            let before = [first.realtime.statistics.lost, second.realtime.statistics.lost]
            // A message of each server's own is lost with each beat.
            let haveBeaten = try await eventually(within: .seconds(60)) {
                first.realtime.statistics.lost > before[0] + 8 && second.realtime.statistics.lost > before[1] + 8
            }
            #expect(haveBeaten)
            #expect(first.realtime.peerCount == 1 && second.realtime.peerCount == 1)
            let eve = try await onThread {
                #expect(try ada.isQuiet())
                // The room goes on for those of one server.
                let friend = try first.client()
                try friend.join("realtime:room", #"{"presence":{"enabled":false}}"#)
                try friend.broadcast("realtime:room", "x", #"{"n":1}"#)
                #expect(try ada.next().payload["payload"]?["n"] == 1)
                // Meanwhile one comes and one goes.
                try bob.send("phx_leave", "realtime:room", ref: "7", joinRef: "1")
                let eve = try Self.present("eve", on: second)
                #expect(try ada.isQuiet())
                return eve
            }
            try await redis.startAgain()
            try await onThread {
                var told: Set<String> = []
                while !told.isSuperset(of: ["+eve", "-bob"]) {
                    let message = try ada.next()
                    #expect(message.event == "presence_diff")
                    let (joins, leaves) = (message.payload["joins"]?.object, message.payload["leaves"]?.object)
                    told.formUnion((joins?.keys).map { $0.map { "+" + $0 } } ?? [])
                    told.formUnion((leaves?.keys).map { $0.map { "-" + $0 } } ?? [])
                }
            }
            try await Self.meet(first, second)
            try await onThread {
                let sender = try second.client()
                try sender.join("realtime:room", #"{"presence":{"enabled":false}}"#)
                try sender.broadcast("realtime:room", "x", #"{"n":2}"#)
                for client in [ada, eve] {
                    var message = try client.next()
                    while message.event != "broadcast" { message = try client.next() }
                    #expect(message.payload["payload"]?["n"] == 2)
                }
            }
        }
    }

    @Test func `a redis that forges is not heard, and clients hear each other all the same`() async throws {
        let liar = try await blocking { Result { try PythonServer.start("lying_redis.py", ["forger"]) } }.get()
        let bus = RedisAddress(host: "127.0.0.1", port: liar.port("port"))
        let server = try await TestRealtime.start { $0.bus = bus }
        let isConnected = try await eventually(within: .seconds(60)) { server.realtime.statistics.isBusConnected }
        #expect(isConnected)
        try await onThread {
            let (sender, receiver) = (try server.client(), try server.client())
            for client in [sender, receiver] { try client.join("realtime:room") }
            try sender.broadcast("realtime:room", "x", "{}")
            #expect(try receiver.next().payload["event"] == "x")
        }
        #expect(server.realtime.peerCount == 0)
        await server.stop()
    }

    @Test func `databases on one redis have channels of their own, which say nothing of their keys`() throws {
        let key = String(repeating: "k", count: 64)
        let name = try #require(RedisTransport.channelName(key))
        #expect(name == RedisTransport.channelName(key))
        #expect(name != RedisTransport.channelName(key + "k"))
        #expect(name.wholeMatch(of: #/swiftlet:realtime:[0-9a-f]{16}/#) != nil)
    }

    /// Joins and tracks, and returns when it was told of itself.
    private static func present(_ name: String, on server: TestRealtime) throws -> PhoenixClient {
        let client = try server.client()
        try client.join("realtime:room", #"{"presence":{"key":"\#(name)","enabled":true}}"#)
        try client.track("realtime:room", "{}")
        #expect(try awaits(name, in: "joins", client))
        return client
    }

    private static func awaits(_ name: String, in part: String, _ client: PhoenixClient) throws -> Bool {
        for _ in 0..<10 where try client.next().payload[part]?[name] != nil { return true }
        return false
    }
}
