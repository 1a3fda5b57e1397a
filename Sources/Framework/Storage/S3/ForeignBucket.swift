import SwiftletHTTP
import SwiftletOutbound

/// A bucket that another server has filled, under names that its clients have chosen. It is only read.
package struct ForeignBucket: Sendable {
    private let client: S3Client
    /// Empty, or ends with a slash.
    private let prefix: String

    private static let pieceBytes = 1 << 20

    /// Of the objects whose keys begin with `prefix` and a slash, if there is one.
    package init(_ settings: S3Settings, prefix: ObjectKey?) {
        client = S3Client(settings)
        self.prefix = prefix.map { "\($0)/" } ?? ""
    }

    /// nil if there is no such object.
    package func open(_ name: String) async throws -> StoredObject? {
        let path = (prefix + name).split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentCoding.encode(String($0)) }.joined(separator: "/")
        return try await client.open("/\(path)", pieceBytes: Self.pieceBytes)
    }

    /// Visits the names of all objects, a page at a time, in the order of their bytes.
    package func list(_ visit: ([String]) async throws -> Void) async throws {
        var token: String?
        repeat {
            // In alphabetical order, as the signature needs them. Encoded names are safe from what XML cannot say.
            let fields = [
                token.map { "continuation-token=\(PercentCoding.encode($0))" }, "encoding-type=url", "list-type=2",
                "prefix=\(PercentCoding.encode(prefix))",
            ]
            let query = "?" + fields.compactMap(\.self).joined(separator: "&")
            let answer = try await client.send("GET", path: query)
            let text = String(decoding: answer.body, as: UTF8.self)
            let names = text.split(separator: "<Contents>").dropFirst().compactMap { part in
                String(part).element("Key").map(PercentCoding.decode)
                    .map { String(decoding: $0.utf8.dropFirst(prefix.utf8.count), as: UTF8.self) }
            }
            try await visit(names)
            token = text.element("IsTruncated") == "true" ? text.element("NextContinuationToken") : nil
        } while token != nil
    }
}

extension PercentCoding {
    /// In the form of queries, where `+` is a space.
    fileprivate static func decode(_ text: String) -> String {
        decode(Array(text.utf8).span, 0..<text.utf8.count, plusIsSpace: true)
    }
}
