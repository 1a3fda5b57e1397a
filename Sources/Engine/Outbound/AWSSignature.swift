/// What a request to an AWS-like service is signed with, by "Signature Version 4".
package struct AWSSignature: Sendable {
    package let region: String
    /// `s3`.
    package let service: String
    package let accessKey: String
    package let secretKey: String

    package init(region: String, service: String, accessKey: String, secretKey: String) {
        self.region = region
        self.service = service
        self.accessKey = accessKey
        self.secretKey = secretKey
    }
}

extension AWSSignature: CustomStringConvertible, CustomReflectable {
    package var description: String { "AWSSignature(\(service), \(region))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
