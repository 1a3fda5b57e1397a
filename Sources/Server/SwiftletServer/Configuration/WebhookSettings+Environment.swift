import SwiftletOutbound
import SwiftletWebhooks

extension WebhookSettings {
    private static let privateName = "WEBHOOK_ALLOW_PRIVATE"

    init(_ reader: inout SettingsReader) {
        self.init()
        allowsPrivateAddresses = reader.flag(Self.privateName, default: false)
        timeout = reader.read("WEBHOOK_TIMEOUT", default: timeout, accepted: "a time from 1s to 60s") { text in
            Self.time(text, .seconds(1) ... .seconds(60))
        }
        pausesAfter = reader.read("WEBHOOK_PAUSE_AFTER", default: pausesAfter, accepted: "a time from 1h to 365d") {
            Self.time($0, .seconds(3600) ... .seconds(365 * 86_400))
        }
        retention = reader.read("WEBHOOK_RETENTION", default: retention, accepted: "a time from 1h to 365d") {
            Self.time($0, .seconds(3600) ... .seconds(365 * 86_400))
        }
    }

    /// For a command, which reads no other settings.
    static func allowsPrivate(_ environment: Environment) -> Bool {
        var reader = SettingsReader(environment)
        return reader.flag(privateName, default: false)
    }

    private static func time(_ text: String, _ range: ClosedRange<Duration>) -> Duration? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            (1...1_000_000).contains(number)
        else { return nil }
        let time = Duration.seconds(number * unit)
        return range.contains(time) ? time : nil
    }
}

extension HTTPEngine.Settings {
    /// For webhooks, whose endpoints may be anybody's.
    static func webhooks(_ settings: WebhookSettings, trust: Trust) -> HTTPEngine.Settings {
        var engine = HTTPEngine.Settings()
        engine.trust = trust
        engine.allowsPrivateAddresses = settings.allowsPrivateAddresses
        engine.connectionsPerHost = 4
        return engine
    }
}
