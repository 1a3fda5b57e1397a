import SwiftletHTTP

/// An answer of `ListObjectsV2` with `encoding-type=url`, whatever the keys are.
struct ForeignPage: Equatable {
    /// Behind the prefix.
    let names: [String]
    /// nil on the last page.
    let nextToken: String?

    /// Throws ``StorageError`` if the list goes on and nobody knows where.
    init(_ text: String, prefix: String) throws(StorageError) {
        // Servers may not know the encoding; then `+` is itself.
        let isEncoded = text.element("EncodingType") == "url"
        names = text.split(separator: "<Contents>").dropFirst().compactMap { part -> String? in
            guard let key = String(part).element("Key") else { return nil }
            let name = isEncoded ? Self.decode(key) : key
            return String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
        nextToken = text.element("IsTruncated") == "true" ? text.element("NextContinuationToken") : nil
        guard nextToken?.isEmpty == false || text.element("IsTruncated") != "true" else {
            throw .unavailable("the S3 server breaks its list of objects off")
        }
    }

    /// In the form of queries, where `+` is a space.
    private static func decode(_ text: String) -> String {
        PercentCoding.decode(Array(text.utf8).span, 0..<text.utf8.count, plusIsSpace: true)
    }
}
