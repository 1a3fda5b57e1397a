import SwiftletOutbound

/// An answer of `ListObjectsV2`, of which what is no key of ours is left out.
struct S3Page {
    let objects: [ListedObject]
    /// nil on the last page.
    let nextToken: String?
    /// The last key of the page, whatever it is.
    let lastKey: String?

    init(_ answer: HTTPResponse) {
        let text = String(decoding: answer.body, as: UTF8.self)
        var objects: [ListedObject] = []
        var lastKey: String?
        for part in text.split(separator: "<Contents>").dropFirst() {
            let part = String(part)
            guard let name = part.element("Key") else { continue }
            lastKey = name
            guard let key = ObjectKey(name), let bytes = part.element("Size").flatMap(Int.init), bytes >= 0 else {
                continue
            }
            objects.append(ListedObject(key: key, bytes: bytes, stamp: part.element("ETag") ?? ""))
        }
        self.objects = objects
        self.lastKey = lastKey
        nextToken = text.element("IsTruncated") == "true" ? text.element("NextContinuationToken") : nil
    }
}

extension String {
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
