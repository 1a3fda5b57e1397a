import SwiftletHTTP
import SwiftletOutbound

/// A bucket that another server has filled, under names that its clients have chosen. It is only read.
package struct ForeignBucket: Sendable {
    private let client: S3Client
    /// Empty, or ends with a slash.
    private let prefix: String

    private static let pieceBytes = 1 << 20
    /// What is archived, or encrypted with a key of its own; whoever may list may not read everything either.
    private static let refusals: Set = [400, 403]

    /// Of the objects whose keys begin with `prefix` and a slash, if there is one.
    package init(_ settings: S3Settings, prefix: ObjectKey?) {
        client = S3Client(settings)
        self.prefix = prefix.map { "\($0)/" } ?? ""
    }

    /// nil if there is no such object, or if it is not to be had.
    package func open(_ name: String) async throws -> StoredObject? {
        let path = (prefix + name).split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentCoding.encode(String($0)) }.joined(separator: "/")
        return try await client.open("/\(path)", pieceBytes: Self.pieceBytes, refusals: Self.refusals)
    }

    /// Throws ``StorageError`` if the bucket cannot be listed: a wrong key is told from an object that may not be read.
    package func check() async throws {
        _ = try await client.send("GET", path: "?list-type=2&max-keys=1&prefix=\(PercentCoding.encode(prefix))")
    }

    /// Visits the names of all objects, a page at a time, in the order of their bytes.
    package func list(_ visit: ([String]) async throws -> Void) async throws {
        var token: String?
        var seen: Set<String> = []
        repeat {
            // In alphabetical order, as the signature needs them. Encoded names are safe from what XML cannot say.
            let fields = [
                token.map { "continuation-token=\(PercentCoding.encode($0))" }, "encoding-type=url", "list-type=2",
                "prefix=\(PercentCoding.encode(prefix))",
            ]
            let query = "?" + fields.compactMap(\.self).joined(separator: "&")
            let answer = try await client.send("GET", path: query)
            let page = try ForeignPage(String(decoding: answer.body, as: UTF8.self), prefix: prefix)
            try await visit(page.names)
            token = page.nextToken
            // One that comes again would lead around for ever.
            if let token, !seen.insert(token).inserted { throw StorageError.brokenList }
        } while token != nil
    }
}
