import SwiftletMigrations
import SwiftletOutbound
import SwiftletStorage

extension ForeignBucket {
    /// `s3://bucket` or `s3://bucket/folder`, with the keys of `IMPORT_S3_…`.
    static func named(_ text: String, _ environment: Environment) throws -> ForeignBucket {
        var reader = SettingsReader(environment)
        let trust = Configuration.trust(&reader)
        guard case .bucket(let bucket, let prefix) = BackupPlace(text) else {
            throw CommandFailure("\(text) is no bucket: s3://bucket or s3://bucket/folder")
        }
        let names = S3Names(
            endpoint: "IMPORT_S3_ENDPOINT",
            region: "IMPORT_S3_REGION",
            accessKey: "IMPORT_S3_ACCESS_KEY",
            secretKey: "IMPORT_S3_SECRET_KEY",
            bucket: text
        )
        let settings = S3Settings.read(&reader, bucket: bucket, names, trust: trust)
        try reader.finish()
        return ForeignBucket(settings, prefix: prefix)
    }
}
