import SwiftletHTTP
import SwiftletStorage
import SwiftletWeb

/// An object as a rendered image. Whoever gets it was allowed to read the object: the cache is asked after the
/// policies.
struct ImageResponse {
    let row: ObjectRow
    let call: FilesCall
    let renderer: ImageRenderer
    let options: ImageOptions
    /// Who waits behind all others if they ask for much.
    let owner: String
    /// In place of `Cache-Control`, for a link that ends; seconds since 1970.
    var expires: Int?

    func response() async throws -> Response {
        try options.check(renderer.settings)
        let accept = call.request.combinedHeader(.accept) ?? ""
        let wanted = ImageRequest(row: row, options: options, acceptsWebP: accept.contains("image/webp"))
        let tag = "\"\(try wanted.name().prefix(32))\""
        var headers = Headers()
        headers.append(.etag, tag)
        headers.append("Last-Modified", HTTPDate(secondsSince1970: row.modified).description)
        if let expires {
            headers.append("Expires", HTTPDate(secondsSince1970: expires).description)
        } else {
            headers.append(.cacheControl, row.cacheControl)
        }
        if options.format == nil { headers.append("Vary", "Accept") }
        headers.append("X-Transformations", options.transformations)
        headers.append("X-Robots-Tag", row.metadata?["xRobotsTag"]?.string ?? "none")
        headers.append("X-Content-Type-Options", "nosniff")
        if let tags = call.request.combinedHeader("If-None-Match"), ObjectResponse.names(tags, tag) {
            return cacheable(Response(status: .notModified, headers: headers))
        }
        if let disposition = ObjectResponse.disposition(call.request) {
            headers.append(.contentDisposition, disposition)
        }
        let (image, format) = try await renderer.image(wanted, for: owner)
        headers.append(.contentType, format.contentType)
        return cacheable(
            Response(headers: headers, contentLength: image.length) { writer in
                for try await chunk in image.chunks { try await writer.write(chunk) }
            }
        )
    }

    private func cacheable(_ response: Response) -> Response {
        var response = response
        response.isCacheable = true
        return response
    }
}
