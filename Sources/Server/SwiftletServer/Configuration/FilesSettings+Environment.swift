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
        settings.images = images(&reader)
        return settings
    }

    private static func images(_ reader: inout SettingsReader) -> ImageSettings {
        var images = ImageSettings()
        images.isOn = reader.choice("IMAGES", default: true, ["on": true, "off": false])
        images.cacheBytes = reader.integer(
            "IMAGE_CACHE_BYTES",
            default: images.cacheBytes,
            in: 1_000_000...1_000_000_000_000
        )
        images.maximumPixels = reader.integer(
            "IMAGE_MAX_PIXELS",
            default: images.maximumPixels,
            in: 1...500_000_000
        )
        images.sizes = reader.read(
            "IMAGE_SIZES",
            default: nil,
            accepted: "widths and heights from 1 to 2500, separated by commas: 100,400,1200"
        ) { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
                Int($0.filter { $0 != " " }) ?? 0
            }
            return numbers.allSatisfy { (1...2500).contains($0) } && !numbers.isEmpty ? .some(Set(numbers)) : nil
        }
        return images
    }

    private static func hoursOrDays(_ text: String) -> Duration? {
        let unit = text.hasSuffix("h") ? 3600 : text.hasSuffix("d") ? 86400 : nil
        guard let unit, let number = Int(text.dropLast()), (0...8784).contains(number), number * unit <= 366 * 86400
        else { return nil }
        return .seconds(number * unit)
    }
}
