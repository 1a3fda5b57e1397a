import SwiftletFiles

extension FilesSettings {
    /// The settings of `/storage/v1`; where files are kept, say ``StorageSettings``.
    static func read(_ reader: inout SettingsReader) -> FilesSettings {
        var settings = FilesSettings()
        settings.allowsUnicodeNames = reader.choice(
            "STORAGE_UNICODE_NAMES",
            default: true,
            ["on": true, "off": false]
        )
        settings.purgeAge = reader.read(
            "STORAGE_PURGE_AFTER",
            default: settings.purgeAge,
            accepted: "a number of hours or days up to a year: 24h, 7d",
            hoursOrDays
        )
        settings.supabasePath = reader.text("STORAGE_SUPABASE_PATH")
        settings.maximumResumableBytes = reader.integer(
            "MAX_RESUMABLE_BYTES",
            default: settings.maximumResumableBytes,
            in: 1...52_428_800_000
        )
        settings.maximumOpenBytes = reader.integer(
            "MAX_OPEN_UPLOAD_BYTES",
            default: 4 * settings.maximumResumableBytes,
            in: settings.maximumResumableBytes...1_000_000_000_000_000
        )
        return settings
    }

    private static func hoursOrDays(_ text: String) -> Duration? {
        let unit = text.hasSuffix("h") ? 3600 : text.hasSuffix("d") ? 86400 : nil
        guard let unit, let number = Int(text.dropLast()), (0...8784).contains(number), number * unit <= 366 * 86400
        else { return nil }
        return .seconds(number * unit)
    }
}
