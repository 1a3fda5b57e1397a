import SwiftletOutbound

/// An answer of `ListObjectsV2`, of which what is no key of ours is left out.
struct S3Page {
    let objects: [ListedObject]
    /// nil on the last page.
    let nextToken: String?
    /// The last key of the page, whatever it is.
    let lastKey: String?

    /// Throws ``StorageError`` for what is no whole page.
    init(_ answer: HTTPResponse) throws(StorageError) {
        let text = String(decoding: answer.body, as: UTF8.self)
        var objects: [ListedObject] = []
        var lastKey: String?
        for part in text.split(separator: "<Contents>").dropFirst() {
            let part = String(part)
            guard let name = part.element("Key"), let bytes = part.element("Size").flatMap(Int.init), bytes >= 0 else {
                throw .brokenList
            }
            lastKey = name
            guard let key = ObjectKey(name) else { continue }
            objects.append(ListedObject(key: key, bytes: bytes, stamp: part.element("ETag") ?? ""))
        }
        self.objects = objects
        self.lastKey = lastKey
        nextToken = try text.continuationToken()
    }
}

extension StorageError {
    /// Whoever takes half a list for a whole one removes what the other half names.
    static let brokenList = StorageError.unavailable("the S3 server breaks its list of objects off")
}

extension String {
    /// Where the list in an answer of `ListObjectsV2` goes on; nil on the last page. Throws ``StorageError`` for an answer
    /// without an end, or if the list goes on and nobody knows where.
    func continuationToken() throws(StorageError) -> String? {
        guard contains("</ListBucketResult>") else { throw .brokenList }
        guard element("IsTruncated") == "true" else { return nil }
        guard let token = element("NextContinuationToken"), !token.isEmpty else { throw .brokenList }
        return token
    }

    /// The text of the first element of this name in an answer of S3, which is XML with neither attributes nor sections
    /// in what we read.
    func element(_ name: String) -> String? {
        guard let start = firstRange(of: "<\(name)>") else { return nil }
        let rest = self[start.upperBound...]
        guard let end = rest.firstRange(of: "</\(name)>") else { return nil }
        return String(rest[..<end.lowerBound]).replacing("&quot;", with: "\"").replacing("&apos;", with: "'")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}
