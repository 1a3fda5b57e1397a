package import SwiftletAuth
package import SwiftletOutbound

/// Where a bucket is, and who may use it.
package struct S3Settings: Sendable {
    /// `https://s3.eu-central-1.amazonaws.com`, `http://minio:9000`: the bucket's name becomes the first part of its path.
    package var endpoint: String
    package var bucket: String
    package var region: String
    package var accessKey: String
    package var secretKey: Secret
    package var trust: Trust

    package init(
        endpoint: String,
        bucket: String,
        region: String,
        accessKey: String,
        secretKey: Secret,
        trust: Trust = .system
    ) {
        self.endpoint = endpoint
        self.bucket = bucket
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.trust = trust
    }
}
