import SwiftletOutbound
import SwiftletStorage

/// Where files are kept, and how large one may be.
struct StorageSettings: Sendable {
    let place: Place
    let maximumFileBytes: Int

    enum Place: Sendable {
        case folder(String)
        /// `uploads` is the folder for uploads that come in several requests.
        case bucket(S3Settings, uploads: String)
    }

    init(_ reader: inout SettingsReader, trust: Trust) {
        maximumFileBytes = reader.integer("MAX_FILE_BYTES", default: 52_428_800, in: 1...2_147_483_648)
        let path = reader.text("STORAGE_PATH")
        guard let bucket = Self.bucket(&reader) else {
            if reader.text("S3_ENDPOINT") != nil {
                reader.refuse("S3_BUCKET is missing: the bucket for files at S3_ENDPOINT")
            }
            place = .folder(path ?? "./storage")
            return
        }
        let uploads = reader.text("S3_UPLOADS_PATH") ?? "./storage-uploads"
        if path != nil { reader.refuse("STORAGE_PATH and S3_BUCKET are both set: files are kept in one of them") }
        let names = S3Names(
            endpoint: "S3_ENDPOINT",
            region: "S3_REGION",
            accessKey: "S3_ACCESS_KEY",
            secretKey: "S3_SECRET_KEY",
            bucket: "S3_BUCKET"
        )
        place = .bucket(S3Settings.read(&reader, bucket: bucket, names, trust: trust), uploads: uploads)
    }

    /// Where rendered images are kept, beside what uploads are gathered in.
    var imageFolder: String {
        switch place {
        case .folder(let path): "\(path)/.images"
        case .bucket(_, let uploads): "\(uploads)/.images"
        }
    }

    func open() -> ObjectStorage { open(maximumBytes: maximumFileBytes) }

    /// For backups, in which the files of resumable uploads may be larger.
    func openWithoutLimit() -> ObjectStorage { open(maximumBytes: .max) }

    private func open(maximumBytes: Int) -> ObjectStorage {
        switch place {
        case .folder(let path): ObjectStorage(LocalFolder(path: path), maximumBytes: maximumBytes)
        case .bucket(let settings, let uploads):
            ObjectStorage(
                S3Bucket(settings, partials: PartialFolder(path: uploads)),
                maximumBytes: maximumBytes
            )
        }
    }

    private static func bucket(_ reader: inout SettingsReader) -> String? {
        reader.read("S3_BUCKET", default: nil, accepted: "a bucket's name: 3 to 63 of a-z, 0-9, - and .") { text in
            text.wholeMatch(of: #/[a-z0-9][a-z0-9.\-]{1,61}[a-z0-9]/#) == nil ? nil : .some(text)
        }
    }
}

extension StorageSettings.Place: CustomStringConvertible {
    /// For people: no key.
    var description: String {
        switch self {
        case .folder(let path): "the folder \(path)"
        case .bucket(let settings, _): "the bucket \(settings.bucket) at \(settings.endpoint)"
        }
    }
}
