import SwiftletAuth
import SwiftletBackups
import SwiftletEssentials
import SwiftletOutbound
import SwiftletStorage

/// Where backups go, when they are made, and how long they stay.
struct BackupSettings: Sendable {
    /// nil: none are made.
    let target: BackupTarget?
    /// The time of day in UTC; nil where no server makes them by itself.
    let time: String?
    /// nil where all stay.
    let retention: Retention?
    private let place: BackupPlace?
    private let endpoint: String?
    /// Past a pooler, which `pg_dump` does not go through.
    private let directURL: String?

    init(_ reader: inout SettingsReader, trust: Trust) {
        directURL = reader.text("DATABASE_DIRECT_URL")
        let accepted = "a folder, or s3://bucket or s3://bucket/prefix"
        place = reader.read("BACKUP_TO", default: BackupPlace?.none, accepted: accepted) {
            BackupPlace($0).map { .some($0) }
        }
        time = reader.read(
            "BACKUP_DAILY_AT",
            default: "03:00",
            accepted: "a time of day in UTC such as 03:30, or off"
        ) { text in
            if text.lowercased() == "off" { return .some(nil) }
            return text.wholeMatch(of: #/([01]\d|2[0-3]):[0-5]\d/#) == nil ? nil : .some(text)
        }
        retention = reader.read(
            "BACKUP_KEEP",
            default: .standard,
            accepted: "days, weeks and months such as 7d,4w,6m, or all",
            { $0.lowercased() == "all" ? .some(nil) : Retention($0).map { .some($0) } }
        )
        switch place {
        case nil:
            (target, endpoint) = (nil, nil)
        case .folder(let path):
            (target, endpoint) = (BackupTarget(folder: path), nil)
        case .bucket(let bucket, let prefix):
            let names = S3Names(
                endpoint: "BACKUP_S3_ENDPOINT",
                region: "BACKUP_S3_REGION",
                accessKey: "BACKUP_S3_ACCESS_KEY",
                secretKey: "BACKUP_S3_SECRET_KEY",
                bucket: "BACKUP_TO"
            )
            let settings = S3Settings.read(&reader, bucket: bucket, names, trust: trust)
            target = BackupTarget(bucket: settings, prefix: prefix)
            endpoint = settings.endpoint
        }
    }

    /// A backup in the place of the files would be backed up itself, and lost with them.
    func refuse(within storage: StorageSettings, _ reader: inout SettingsReader) {
        switch (place, storage.place) {
        case (.folder(let backups), .folder(let files)):
            let (backups, files) = (Self.absolute(backups), Self.absolute(files))
            if backups == files || backups.hasPrefix("\(files)/") {
                reader.refuse("BACKUP_TO is in STORAGE_PATH: set a folder elsewhere, best on another disk")
            }
        case (.bucket(let bucket, _), .bucket(let files, _)) where bucket == files.bucket && endpoint == files.endpoint:
            reader.refuse("BACKUP_TO is in S3_BUCKET: set another bucket, with keys of its own")
        default: break
        }
    }

    private static func absolute(_ path: String) -> String {
        URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    }

    func databaseURL(_ database: DatabaseSettings) -> String { directURL ?? database.url }
}

/// A folder or a bucket, as it is written.
enum BackupPlace: Equatable {
    case folder(String)
    case bucket(String, prefix: ObjectKey?)

    /// nil for what is neither.
    init?(_ text: String) {
        guard let match = text.wholeMatch(of: #/(?i:s3):\/\/([a-z0-9][a-z0-9.\-]{1,61}[a-z0-9])(?:\/(.*))?/#) else {
            guard !text.contains("://") else { return nil }
            self = .folder(text)
            return
        }
        var prefix = match.2 ?? ""
        while prefix.hasSuffix("/") { prefix = prefix.dropLast() }
        if prefix.isEmpty {
            self = .bucket(String(match.1), prefix: nil)
        } else {
            // Room for the longest key below it.
            guard prefix.utf8.count <= 300, let key = ObjectKey(String(prefix)) else { return nil }
            self = .bucket(String(match.1), prefix: key)
        }
    }
}
