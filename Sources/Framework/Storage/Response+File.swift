public import SwiftletHTTP
import SwiftletWeb

extension Response {
    /// A stored object for the client to save under `name`, sent piece by piece as it is read.
    ///
    ///     guard let object = try await context.storage.get(key) else { throw APIError.notFound }
    ///     return .file(object, name: name, version: id, to: request)
    ///
    /// Never shown inside of a page: what others have uploaded must not run as ours. `version` says which content it is,
    /// in letters, digits and `-`, and must change with it: clients that have it get 304, and those that have a part of
    /// it may ask for the rest by `Range`.
    public static func file(
        _ object: StoredObject,
        name: FileName,
        version: String,
        to request: Request
    ) -> Response {
        let tag = "\"\(version)\""
        var headers = Headers()
        headers.append(.etag, tag)
        headers.append(.cacheControl, "private, no-cache")
        headers.append("Accept-Ranges", "bytes")
        if request.combinedHeader("If-None-Match").map({ Self.names($0, tag) }) ?? false {
            return cacheable(Response(status: .notModified, headers: headers))
        }
        headers.append(.contentType, object.contentType.description)
        headers.append(.contentDisposition, ContentDisposition.attachment(name).description)
        headers.append("Content-Security-Policy", "sandbox; default-src 'none'")
        let isSame = request.header("If-Range").map { $0 == tag } ?? true
        let range = ByteRangeRequest(isSame ? request.header("Range") : nil, length: object.length)
        let (status, bytes): (Status, Range<Int>)
        switch range {
        case .unsatisfiable:
            var headers = Headers()
            headers.append(.contentRange, "bytes */\(object.length)")
            return Response(status: 416, headers: headers)
        case .whole: (status, bytes) = (.ok, 0..<object.length)
        case .part(let part):
            (status, bytes) = (206, part)
            headers.append(.contentRange, "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(object.length)")
        }
        let chunks = object.chunks(in: bytes)
        return cacheable(
            Response(status: status, headers: headers, contentLength: chunks.count) { writer in
                for try await chunk in chunks { try await writer.write(chunk) }
            }
        )
    }

    /// What holds for every answer that carries a file, or would.
    private static func cacheable(_ response: Response) -> Response {
        var response = response
        response.isCacheable = true
        response.exposedFields = "content-disposition, etag, accept-ranges"
        return response
    }

    /// Whether a list of tags names this one, weakly or not (RFC 9110 §13.1.2).
    private static func names(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            let item = item.drop { $0 == " " || $0 == "\t" }.split(separator: " ").first ?? ""
            return item == "*" || item == tag || item == "W/\(tag)"
        }
    }
}
