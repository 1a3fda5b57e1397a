import SwiftletHTTP

/// An answer of `ListObjectsV2` with `encoding-type=url`, whatever the keys are.
struct ForeignPage: Equatable {
    /// Behind the prefix.
    let names: [String]
    /// nil on the last page.
    let nextToken: String?

    /// Throws ``StorageError`` for what is no whole page.
    init(_ text: String, prefix: String) throws(StorageError) {
        // Servers may not know the encoding; then `+` is itself.
        let isEncoded = text.element("EncodingType") == "url"
        var names: [String] = []
        for part in text.split(separator: "<Contents>").dropFirst() {
            guard let key = String(part).element("Key") else { throw .brokenList }
            let name = isEncoded ? Self.decode(key) : key
            names.append(String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
        }
        self.names = names
        nextToken = try text.continuationToken()
    }

    /// In the form of queries, where `+` is a space.
    private static func decode(_ text: String) -> String {
        PercentCoding.decode(Array(text.utf8).span, 0..<text.utf8.count, plusIsSpace: true)
    }
}
