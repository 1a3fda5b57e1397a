import SwiftletPostgres
import SwiftletRealtime

extension ChangeSettings {
    /// nil where no direct connection is known: behind a transaction pooler, without `DATABASE_DIRECT_URL`.
    static func read(_ reader: inout SettingsReader, _ database: DatabaseSettings) -> ChangeSettings? {
        var settings = ChangeSettings(url: database.directURL ?? database.url)
        settings.retention = reader.read(
            "REALTIME_RETENTION",
            default: settings.retention,
            accepted: "a time from 1m to 30d: 90m, 24h or 7d",
            Self.duration
        )
        settings.maximumLogBytes = reader.integer(
            "REALTIME_RETENTION_BYTES",
            default: settings.maximumLogBytes,
            in: 1_000_000...1_000_000_000_000
        )
        return database.directURL == nil && !database.isPrepared ? nil : settings
    }

    private static func duration(_ text: String) -> Duration? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()) else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        return !overflow && (60...2_592_000).contains(seconds) ? .seconds(seconds) : nil
    }
}
