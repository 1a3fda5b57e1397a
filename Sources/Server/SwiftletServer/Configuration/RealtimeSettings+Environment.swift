import SwiftletRealtime

extension RealtimeSettings {
    /// The settings of `/realtime/v1`; nil where `REALTIME` is `off`.
    static func read(_ reader: inout SettingsReader) -> RealtimeSettings? {
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
        return settings
    }
}
