import SwiftletOutbound
import SwiftletRealtime
import SwiftletRedis
import SwiftletTesting
import Testing

@testable import SwiftletServer

@Suite struct RealtimeBusTests {
    private func bus(_ settings: [String: String]) throws(ConfigurationError) -> RedisAddress? {
        let least = ["DATABASE_URL": "postgresql://app@db/app", "JWT_SECRET": "0123456789abcdef0123456789abcdef"]
        return try Configuration(Environment(least.merging(settings) { $1 }), mode: .serve).realtime?.bus
    }

    @Test(
        arguments: [
            ("redis://cache", "redis://cache:6379"), ("redis://cache:7000/3", "redis://cache:7000"),
            ("rediss://ada:s%40cret@cache.example.com", "rediss://cache.example.com:6379"),
            ("redis://:secret@127.0.0.1:6380/", "redis://127.0.0.1:6380"),
        ]
    )
    func `finds the redis, and never shows its password`(text: String, shown: String) throws {
        let address = try #require(try bus(["REALTIME_BUS": text]))
        #expect("\(address)" == shown)
        #expect(address.trust == .system)
        var dump = ""
        Swift.dump(address, to: &dump)
        #expect(!dump.contains("cret"))
    }

    @Test(
        arguments: [
            "cache:6379", "http://cache", "redis://", "redis://cache:0", "redis://cache:70000", "redis://cache/x",
            "redis://ada@cache", "redis://cache?db=1", "redis://cache/12345",
        ]
    )
    func `what is no address of a redis is refused`(text: String) throws {
        let error = try #require(throws: ConfigurationError.self) { try bus(["REALTIME_BUS": text]) }
        #expect(error.faults.count == 1 && error.faults[0].hasPrefix("REALTIME_BUS must be redis://"))
    }

    @Test func `without it there is none`() throws {
        #expect(try bus([:]) == nil)
    }

    @Test(.enabled(if: TestRedis.isInstalled, "install redis-server"), .hangLimit)
    func `doctor says something over the redis and hears it`() async throws {
        let redis = try await TestRedis.start(["--requirepass", "secret"])
        func finding(_ password: String?, port: Int? = nil) async -> Finding {
            await BusExamination(
                RedisAddress(host: "127.0.0.1", port: port ?? redis.port, password: password)
            ).finding()
        }
        let good = await finding("secret")
        #expect(good.grade == .good && good.text == "by redis://127.0.0.1:\(redis.port)")
        let wrong = await finding("another")
        #expect(wrong.grade == .fault && wrong.text.contains("WRONGPASS") && !wrong.text.contains("another"))
        #expect(await finding(nil).text.contains("NOAUTH"))
        let nobody = await finding("secret", port: unassignedPort())
        #expect(nobody.grade == .fault && nobody.text.hasSuffix("\(OutboundError.noConnection): check REALTIME_BUS"))
    }
}
