import SwiftletJSON

@testable import SwiftletJobs
@testable import SwiftletStorage
@testable import SwiftletWeb

extension FuzzedParser {
    static let framework = [
        text(
            "time",
            ["2024-01-15T10:30:00.123456+02:00", "2024-02-29", "0001-01-01 00:00Z", "9999-12-31T23:59:60-0001"]
        ) {
            text in
            if TimestampText.isTimestamp(text) {
                try FuzzFault.unless(TimestampText.isTimestamp(TimestampText.cut(text)), "what is cut is none")
            }
            _ = TimestampText.isTime(text)
            let time = try WrittenTime(text).accepted()
            _ = time.start(in: .utc) + time.end(in: .utc)
        },
        text("time zone", ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"]) {
            _ = try TimeZoneName($0).accepted().instant(day: 20_000, second: 3600)
        },
        text("time of day of a job", ["03:30", "23:59", "00:00"]) { text in
            let recurrence = Recurrence(timeOfDay: text)
            guard recurrence.fault == nil else { throw Refusal() }
            _ = recurrence.next(after: 1_700_000_000)
        },
        text("range of bytes", ["bytes=0-99", "bytes=-5", "bytes=9-", "bytes=0-9223372036854775807"]) { text in
            guard case .part(let range) = ByteRangeRequest(text, length: 100) else { throw Refusal() }
            try FuzzFault.unless(range.lowerBound >= 0 && range.upperBound <= 100 && !range.isEmpty, "\(range)")
        },
        text("path of a batch", ["/customers/{a.id}/x?b={c.d.e}", "/tasks"]) { _ = try BatchPath($0).accepted() },
        text(
            "call of a batch",
            [
                #"{"id":"a","method":"POST","path":"/tasks/{c0.id}","headers":{"prefer":"x"},"body":{"b":{"$ref":"c0.id"}}}"#
            ]
        ) { _ = try BatchCall(JSONParser.parse(Array($0.utf8)), 1, after: ["c0"]) },
        text("traceparent", ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]) {
            _ = try TraceContext($0).accepted()
        },
        text("address of a caller", ["10.0.0.1", "::ffff:10.0.0.1", "2001:db8::/32"]) {
            _ = try IPAddress($0).accepted()
        },
        text("addresses of proxies", ["10.0.0.0/8", "2001:db8::/32", "127.0.0.1"]) { text in
            _ = try TrustedProxies(text.split(separator: ",").map(String.init)).accepted()
        },
        text("key of a stored object", ["a/b.txt", "ü/..", "a//b"]) { _ = try ObjectKey($0).accepted() },
        text("page of a bucket", [bucketPage]) { _ = try ForeignPage($0, prefix: "a/") },
    ]

    private static let bucketPage = """
        <?xml version="1.0"?><ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x&amp;y\
        </NextContinuationToken><Contents><Key>a/b%20c</Key><Size>12</Size></Contents></ListBucketResult>
        """
}
