import SwiftletEssentials
import SwiftletOutbound
import SwiftletRealtime
import SwiftletRedis

extension RealtimeSettings {
    /// The settings of `/realtime/v1`; nil where `REALTIME` is `off`.
    static func read(_ reader: inout SettingsReader, _ trust: Trust) -> RealtimeSettings? {
        guard reader.flag("REALTIME", default: true) else { return nil }
        var settings = RealtimeSettings()
        settings.maximumSockets = reader.integer(
            "REALTIME_MAX_SOCKETS",
            default: settings.maximumSockets,
            in: 1...1_000_000
        )
        settings.maximumChannels = reader.integer(
            "REALTIME_MAX_CHANNELS",
            default: settings.maximumChannels,
            in: 1...10_000
        )
        settings.messagesPerSecond = reader.integer(
            "REALTIME_MESSAGES_PER_SECOND",
            default: settings.messagesPerSecond,
            in: 1...100_000
        )
        settings.presenceCalls = reader.integer(
            "REALTIME_PRESENCE_CALLS",
            default: settings.presenceCalls,
            in: 1...10_000
        )
        settings.bus = reader.read(
            "REALTIME_BUS",
            default: nil,
            accepted: "redis://user:password@host:6379 or rediss://…, specials as %40"
        ) { text in
            var address = RedisAddress(text)
            address?.trust = trust
            return address.map { .some($0) }
        }
        return settings
    }
}

extension RedisAddress {
    /// nil for what is no address of a redis. The number of a database says nothing: channels are of all of them.
    init?(_ text: String) {
        guard let url = URLComponents(string: text), let scheme = url.scheme, ["redis", "rediss"].contains(scheme),
            let host = url.host, !host.isEmpty, url.query == nil, url.fragment == nil,
            url.path.isEmpty || url.path.wholeMatch(of: #/\/[0-9]{0,4}/#) != nil,
            url.user == nil || url.user == "" || url.password != nil
        else { return nil }
        let port = url.port ?? 6379
        guard (1...65535).contains(port) else { return nil }
        self.init(host: host, port: port, isSecure: scheme == "rediss", user: url.user, password: url.password)
    }
}
