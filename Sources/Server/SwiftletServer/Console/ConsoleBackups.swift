import SwiftletBackups
import SwiftletEssentials
import SwiftletJSON

/// What the console shows of the backups.
struct ConsoleBackups: Sendable {
    let target: BackupTarget
    let settings: BackupSettings

    private static let shown = 60

    /// `{"target", "dailyAt", "keep", "ageSeconds", "tooOld", "entries": [{"id", "began", …}]}`, the newest first.
    var json: JSONValue {
        get async throws {
            let entries = try await BackupDirectory(target).entries()
            let whole = entries.first { $0.manifest.map { $0.missing == 0 } ?? false }
            let age = whole.map { Date().timeIntervalSince($0.id.began) }
            return [
                "target": .string(target.name), "dailyAt": settings.time.map { .string($0) } ?? .null,
                "keep": settings.retention.map { .string("\($0)") } ?? .null,
                "ageSeconds": age.map { .number(JSONNumber(Int($0))) } ?? .null,
                "tooOld": .bool(age.map { $0 > ScheduledBackup.maximumAge || ScheduledBackup.isAhead($0) } ?? true),
                "count": .number(JSONNumber(entries.count)),
                "entries": .array(entries.prefix(Self.shown).map(Self.json)),
            ]
        }
    }

    private static func json(_ entry: BackupDirectory.Entry) -> JSONValue {
        var object: JSONObject = [
            "id": .string(entry.id.text), "began": .string(entry.id.began.formatted(.iso8601)),
        ]
        guard let manifest = entry.manifest else {
            object["damaged"] = true
            return .object(object)
        }
        object["seconds"] = .number(JSONNumber(Int(manifest.finished.timeIntervalSince(manifest.began))))
        for (name, value) in [
            ("tables", manifest.tables), ("objects", manifest.objects), ("dumpBytes", manifest.dumpBytes),
            ("files", manifest.files), ("fileBytes", manifest.fileBytes), ("newBytes", manifest.newBytes),
            ("missing", manifest.missing), ("differing", manifest.differing),
        ] { object[name] = .number(JSONNumber(value)) }
        object["version"] = .string(manifest.swiftlet)
        object["postgres"] = .string(manifest.postgres)
        return .object(object)
    }
}
