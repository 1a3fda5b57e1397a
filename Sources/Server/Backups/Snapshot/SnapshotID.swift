package import SwiftletEssentials
import SwiftletStorage

/// The name of a backup: when it was begun, in UTC, and a random part: `20261127T030000Z-1a2b3c4d`.
package struct SnapshotID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let text: String
    package let began: Date

    /// How far ahead of this machine's clock a backup may be that another one has made.
    package static let maximumLead: TimeInterval = 600

    /// nil for what is no such name.
    package init?(_ text: String) {
        guard text.wholeMatch(of: #/\d{8}T\d{6}Z-[0-9a-f]{8}/#) != nil,
            let began = try? Self.format.parse(String(text.prefix(16)))
        else { return nil }
        self.text = text
        self.began = began
    }

    /// One that stands behind `last`, also within its second or while the clock is put back.
    static func make(at time: Date, after last: SnapshotID?) -> SnapshotID? {
        var time = time.formatted(format)
        var number = UInt32.random(in: 0...(.max / 2))
        if let last, last.text.prefix(16) >= time {
            time = String(last.text.prefix(16))
            number = (UInt32(last.text.suffix(8), radix: 16) ?? number) &+ 1
        }
        let digits = String(number, radix: 16)
        return SnapshotID("\(time)-\(String(repeating: "0", count: 8 - digits.count))\(digits)")
    }

    package var description: String { text }

    /// By time, then by name.
    package static func < (left: SnapshotID, right: SnapshotID) -> Bool { left.text < right.text }

    func key(_ part: SnapshotPart) throws(BackupError) -> ObjectKey {
        guard let key = ObjectKey("snapshots/\(text)/\(part.rawValue)") else { throw .noSuchBackup(text) }
        return key
    }

    private static var format: Date.ISO8601FormatStyle {
        .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
            .timeSeparator(.omitted).timeZone(separator: .omitted)
    }
}

/// A file of a backup's folder.
enum SnapshotPart: String, CaseIterable {
    case dump = "database.dump"
    case roles = "roles.sql"
    case files = "files.tsv"
    case manifest = "manifest.json"
    /// Of all the others. Written last: a folder without it is no backup.
    case checksums = "SHA256SUMS"

    /// Those that have a checksum, in the order of their lines.
    static let summed: [SnapshotPart] = [.dump, .files, .manifest, .roles]
}
