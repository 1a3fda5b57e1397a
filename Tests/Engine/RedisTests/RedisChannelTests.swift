import Foundation
import SwiftletEventLoop
import SwiftletOutbound
import SwiftletTesting
import Synchronization
import Testing

@testable import SwiftletRedis

@Suite(.enabled(if: TestRedis.isInstalled, "install redis-server"), .hangLimit)
struct RedisChannelTests {
    /// A channel that runs, and what it has told.
    private final class Ear: Sendable {
        let channel: RedisChannel
        private let group: EventLoopGroup
        private let running: Task<Void, Never>
        private let events: Heard

        private final class Heard: Sendable {
            let all = Mutex<[RedisChannel.Event]>([])
        }

        init(_ address: RedisAddress, _ name: String = "room") throws {
            let (group, events) = (try EventLoopGroup.start(count: 1), Heard())
            let channel = RedisChannel(address, name, on: group.loops[0]) { event in
                events.all.withLock { $0.append(event) }
            }
            self.group = group
            self.events = events
            self.channel = channel
            running = Task { await channel.run() }
        }

        var messages: [String] {
            events.all.withLock { $0 }.compactMap { if case .message(let text) = $0 { text } else { nil } }
        }

        var reasons: [String] {
            events.all.withLock { $0 }.compactMap { if case .lost(let reason, _) = $0 { reason } else { nil } }
        }

        var unwritten: [Int] {
            events.all.withLock { $0 }.compactMap { if case .lost(_, let count) = $0 { count } else { nil } }
        }

        var openings: Int { events.all.withLock { $0 }.count { if case .opened = $0 { true } else { false } } }

        func opens(_ count: Int = 1) async throws {
            let isOpen = try await eventually(within: .seconds(60)) { openings >= count }
            #expect(isOpen, "\(reasons)")
        }

        func fails() async throws -> String {
            _ = try await eventually(within: .seconds(60)) { !reasons.isEmpty }
            return reasons.first ?? "nothing"
        }

        func stop() async {
            running.cancel()
            await running.value
            group.stop()
        }
    }

    @Test func `messages reach all who hear the channel, in order and of any size, and nobody else`() async throws {
        let redis = try await TestRedis.start()
        let address = RedisAddress(host: "127.0.0.1", port: redis.port)
        let ears = [try Ear(address), try Ear(address)]
        let other = try Ear(address, "other")
        for ear in ears + [other] { try await ear.opens() }
        let large = String(repeating: "é", count: 1_500_000)
        let texts = (0..<200).map { "\($0)\r\n" } + [large, "", "last"]
        #expect(await ears[0].channel.publish(texts))
        for ear in ears {
            let isThere = try await eventually(within: .seconds(60)) { ear.messages.count == texts.count }
            #expect(isThere && ear.messages == texts)
        }
        #expect(other.messages.isEmpty)
        for ear in ears + [other] { await ear.stop() }
    }

    @Test func `a redis that goes away is told once, and comes back by itself`() async throws {
        let redis = try await TestRedis.start()
        let ear = try Ear(RedisAddress(host: "127.0.0.1", port: redis.port))
        try await ear.opens()
        try await redis.kill()
        _ = try await ear.fails()
        #expect(await ear.channel.publish(["lost"]) == false)
        try await redis.startAgain()
        try await ear.opens(2)
        #expect(await ear.channel.publish(["again"]))
        let isThere = try await eventually { ear.messages == ["again"] }
        #expect(isThere)
        await ear.stop()
    }

    @Test func `a user and a password are needed where redis asks for them`() async throws {
        let redis = try await TestRedis.start([
            "--requirepass", "p@ss word", "--user", "ada", "on", ">secret", "resetchannels", "&swiftlet:*", "+@all",
        ])
        let ports = RedisAddress(host: "127.0.0.1", port: redis.port)
        let stranger = try Ear(ports)
        #expect(try await stranger.fails().hasPrefix("NOAUTH"))
        await stranger.stop()
        for (user, password) in [(nil, "wrong"), ("ada", "wrong"), ("eve", "secret")] as [(String?, String)] {
            let ear = try Ear(RedisAddress(host: "127.0.0.1", port: redis.port, user: user, password: password))
            #expect(try await ear.fails().hasPrefix("WRONGPASS"))
            await ear.stop()
        }
        let root = try Ear(RedisAddress(host: "127.0.0.1", port: redis.port, password: "p@ss word"))
        try await root.opens()
        await root.stop()
        let address = RedisAddress(host: "127.0.0.1", port: redis.port, user: "ada", password: "secret")
        #expect(!"\(address)".contains("secret"))
        let ada = try Ear(address, "swiftlet:realtime:1")
        try await ada.opens()
        await ada.stop()
        let elsewhere = try Ear(address, "others")
        #expect(try await elsewhere.fails().hasPrefix("NOPERM"))
        await elsewhere.stop()
    }

    @Test func `with TLS the certificate is checked`() async throws {
        try await Tool.inFolder { folder in
            let (certificate, key) = ("\(folder.path)/certificate.pem", "\(folder.path)/key.pem")
            try await Tool.run([
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
                "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-days", "2", "-keyout", key, "-out",
                certificate,
            ])
            let redis = try await TestRedis.start(
                [
                    "--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate,
                    "--tls-auth-clients", "no",
                ],
                isSecure: true
            )
            var address = RedisAddress(host: "localhost", port: redis.port, isSecure: true)
            let doubtful = try Ear(address)
            #expect(try await doubtful.fails() == "\(OutboundError.badCertificate)")
            await doubtful.stop()
            address.trust = .systemAnd(file: certificate)
            let ear = try Ear(address)
            try await ear.opens()
            let large = String(repeating: "x", count: 3_000_000)
            #expect(await ear.channel.publish([large, "last"]))
            let isThere = try await eventually(within: .seconds(60)) { ear.messages == [large, "last"] }
            #expect(isThere)
            await ear.stop()
        }
    }

    @Test(arguments: [
        ("noise", "it does not speak the protocol of redis"), ("endless", "it says more than is taken"),
        ("huge", "it says more than is taken"), ("deep", "it says more than is taken"),
        ("negative", "it does not speak the protocol of redis"),
        ("old", "redis 6 or newer is needed"), ("echo", "WRONGPASS"), ("bare echo", "it refuses"),
        ("refusal", "it does not speak the protocol of redis"),
        ("ended", "it has closed the connection"), ("garbage after", "it does not speak the protocol of redis"),
        ("unsubscribed", "it has ended the subscription"), ("silent", "no answer in time"),
    ])
    func `a redis that lies is left, with a reason`(kind: String, reason: String) async throws {
        let liar = try await blocking { Result { try PythonServer.start("lying_redis.py", [kind]) } }.get()
        var address = RedisAddress(host: "127.0.0.1", port: liar.port("port"), password: "secret")
        if kind == "silent" { address.answerTimeout = .milliseconds(300) }
        let ear = try Ear(address)
        #expect(try await ear.fails() == reason)
        #expect(!ear.reasons.contains { $0.contains("secret") })
        #expect(ear.messages.isEmpty)
        await ear.stop()
    }

    @Test func `texts that were taken, but not written, are counted when the connection ends`() async throws {
        let liar = try await blocking { Result { try PythonServer.start("lying_redis.py", ["deaf"]) } }.get()
        let ear = try Ear(RedisAddress(host: "127.0.0.1", port: liar.port("port")))
        try await ear.opens()
        // More than the sockets hold, and then more than may wait.
        #expect(await ear.channel.publish(["written", String(repeating: "x", count: 40_000_000)]))
        #expect(await ear.channel.publish(["waits"]))
        #expect(await ear.channel.publish([String(repeating: "y", count: 17_000_000), "z"]) == false)
        #expect(try await ear.fails() == "it takes nothing")
        // Those of the call that has failed are known by its answer.
        #expect(ear.unwritten.first == 2)
        await ear.stop()
    }

    @Test func `a place where nobody listens, and a name that is none, are said`() async throws {
        let port = try #require(unassignedPort())
        for (host, reason) in [
            ("127.0.0.1", OutboundError.noConnection), ("a b", .badAddress), ("127.0.0.1/x", .badAddress),
            ("", .badAddress),
        ] {
            let ear = try Ear(RedisAddress(host: host, port: port))
            #expect(try await ear.fails() == "\(reason)")
            await ear.stop()
        }
    }
}
