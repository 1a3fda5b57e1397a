import SwiftletAuth
import SwiftletOutbound
import SwiftletStorage

/// The settings of one bucket.
struct S3Names {
    let endpoint: String
    let region: String
    let accessKey: String
    let secretKey: String
    /// What asks for the others.
    let bucket: String
}

extension S3Settings {
    static func read(_ reader: inout SettingsReader, bucket: String, _ names: S3Names, trust: Trust) -> S3Settings {
        let region = reader.read(
            names.region,
            default: "us-east-1",
            accepted: "a region such as eu-central-1"
        ) { text in
            text.wholeMatch(of: #/[A-Za-z0-9\-]{1,64}/#) == nil ? nil : text
        }
        let endpoint = reader.read(
            names.endpoint,
            default: "https://s3.\(region).amazonaws.com",
            accepted: "an http or https address without a path, such as https://s3.example.com"
        ) { text in
            let isAddress = text.wholeMatch(of: #/(?i:https?):\/\/[^\s\/?#@]+\/?/#) != nil
            return isAddress && (try? WebAddress(text)) != nil ? text : nil
        }
        return S3Settings(
            endpoint: endpoint,
            bucket: bucket,
            region: region,
            accessKey: required(names.accessKey, for: names.bucket, &reader),
            secretKey: Secret(required(names.secretKey, for: names.bucket, &reader)),
            trust: trust
        )
    }

    private static func required(_ name: String, for bucket: String, _ reader: inout SettingsReader) -> String {
        guard let text = reader.text(name) else {
            reader.refuse("\(name) is missing: the S3 server's key for \(bucket)")
            return ""
        }
        return text
    }
}
