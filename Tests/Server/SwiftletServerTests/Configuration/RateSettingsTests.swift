import SwiftletWeb
import SwiftletWebhooks
import Testing

@testable import SwiftletServer

/// The settings of rate limits, and of webhooks.
@Suite struct RateSettingsTests {
    private func read(_ settings: [String: String]) throws -> (RateSettings, WebhookSettings) {
        var reader = SettingsReader(Environment(settings))
        let rates = RateSettings(&reader, trusting: nil)
        let webhooks = WebhookSettings(&reader)
        try reader.finish()
        return (rates, webhooks)
    }

    @Test func `reads limits for all functions and for one`() throws {
        #expect(try read([:]).0 == RateSettings())
        let rates = try read([
            "RATE_LIMIT": "address=600/1m, account@re.port-s=10/2h all=5/1s", "RATE_LIMIT_SHARED": "off",
        ]).0
        #expect(
            rates.general == [
                RateLimit(600, per: .seconds(60), by: .address), RateLimit(5, per: .seconds(1), by: .everyone),
            ]
        )
        #expect(rates.functions == ["re.port-s": [RateLimit(10, per: .seconds(7200), by: .account)]])
        #expect(!rates.isShared)
    }

    @Test(arguments: [
        ("RATE_LIMIT", "600"), ("RATE_LIMIT", "address=0/1m"), ("RATE_LIMIT", "address=1/2d"),
        ("RATE_LIMIT", "address=1/0s"), ("RATE_LIMIT", "everyone=1/1s"), ("RATE_LIMIT", "address=1/1m, address=2/1h"),
        ("RATE_LIMIT", "account@=1/1m"), ("RATE_LIMIT", "address=9999999999/1m"), ("RATE_LIMIT_SHARED", "maybe"),
        ("WEBHOOK_TIMEOUT", "2m"), ("WEBHOOK_TIMEOUT", "15"), ("WEBHOOK_PAUSE_AFTER", "0d"),
        ("WEBHOOK_RETENTION", "9999999999999999999d"), ("WEBHOOK_ALLOW_PRIVATE", "perhaps"),
    ])
    func `names the setting at fault`(name: String, value: String) throws {
        let error = try #require(throws: ConfigurationError.self) { _ = try read([name: value]) }
        #expect(error.faults.count == 1 && error.faults.first?.hasPrefix(name) == true)
    }

    @Test func `reads the times of webhooks`() throws {
        let webhooks = try read(["WEBHOOK_TIMEOUT": "5s", "WEBHOOK_PAUSE_AFTER": "2d", "WEBHOOK_ALLOW_PRIVATE": "on"]).1
        #expect(webhooks.timeout == .seconds(5) && webhooks.pausesAfter == .seconds(172_800))
        #expect(webhooks.allowsPrivateAddresses && webhooks.retention == .seconds(7 * 86_400))
    }
}
