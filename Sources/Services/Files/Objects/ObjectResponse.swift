import SwiftletHTTP
import SwiftletJSON
import SwiftletStorage
import SwiftletWeb

/// The content of an object as a response: whole or a range of it, or that the client has it already.
struct ObjectResponse {
    let row: ObjectRow
    let request: Request
    let files: FileStore
    /// In place of `Cache-Control`, for a link that ends; seconds since 1970.
    var expires: Int?

    func response() async throws -> Response {
        var headers = Headers()
        headers.append(.etag, row.eTag)
        headers.append("Last-Modified", modified)
        if let expires {
            headers.append("Expires", HTTPDate(secondsSince1970: expires).description)
        } else {
            headers.append(.cacheControl, row.cacheControl)
        }
        headers.append("Accept-Ranges", "bytes")
        headers.append("X-Robots-Tag", row.metadata?["xRobotsTag"]?.string ?? "none")
        headers.append("X-Content-Type-Options", "nosniff")
        if isUnchanged { return cacheable(Response(status: .notModified, headers: headers)) }
        headers.append(.contentType, Self.safeType(row.contentType))
        if let policy = Self.policy(row.contentType) { headers.append("Content-Security-Policy", policy) }
        if let disposition = Self.disposition(request) { headers.append(.contentDisposition, disposition) }

        let object = request.method == .head ? nil : try await files.open(row)
        guard let length = object?.length ?? row.size else { throw FilesError.noObject }
        let (status, bytes): (Status, Range<Int>)
        switch range(length) {
        case .unsatisfiable:
            headers[.contentType] = nil
            headers.append(.contentRange, "bytes */\(length)")
            return Response(status: 416, headers: headers)
        case .whole: (status, bytes) = (.ok, 0..<length)
        case .part(let part):
            (status, bytes) = (206, part)
            headers.append(.contentRange, "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)")
        }
        return cacheable(
            Response(status: status, headers: headers, contentLength: bytes.count) { writer in
                guard let object else { return }
                for try await chunk in object.chunks(in: bytes) { try await writer.write(chunk) }
            }
        )
    }

    private func cacheable(_ response: Response) -> Response {
        var response = response
        response.isCacheable = true
        return response
    }

    private var modified: String { HTTPDate(secondsSince1970: row.modified).description }

    // MARK: - What the client has

    /// `If-None-Match` goes before `If-Modified-Since` (RFC 9110 §13.2.2).
    private var isUnchanged: Bool {
        if let list = request.combinedHeader("If-None-Match") { return Self.names(list, row.eTag) }
        guard let since = request.header("If-Modified-Since") else { return false }
        return HTTPTime.read(since).map { row.modified <= $0 } ?? false
    }

    private func range(_ length: Int) -> ByteRangeRequest {
        let condition = request.header("If-Range")
        let isSame = condition.map { $0 == row.eTag || $0 == modified } ?? true
        return ByteRangeRequest(isSame ? request.header("Range") : nil, length: length)
    }

    /// Whether a list of tags names this one, weakly or not (RFC 9110 §13.1.2).
    static func names(_ list: String, _ tag: String) -> Bool {
        list.split(separator: ",").contains { item in
            var item = item.drop { $0 == " " || $0 == "\t" }
            while item.last == " " || item.last == "\t" { item.removeLast() }
            return item == "*" || item == tag || item == "W/\(tag)"
        }
    }

    // MARK: - How it is shown

    /// `?download` asks for a file to be saved, `?download=name` for one of this name.
    static func disposition(_ request: Request) -> String? {
        guard let name = request.query["download"] else { return nil }
        guard !name.isEmpty else { return "attachment;" }
        let encoded = PercentCoding.encode(name)
        return "attachment; filename=\(encoded); filename*=UTF-8''\(encoded)"
    }

    /// A page of somebody's would run under our name. A type that we cannot read, browsers may.
    private static func safeType(_ type: String) -> String {
        guard let essence = MediaType(type)?.essence else { return "application/octet-stream" }
        return essence == "text/html" || essence == "application/xhtml+xml" ? "text/plain" : type
    }

    /// Types that can hold scripts: as pictures they are shown, as pages they may do nothing. The others are those that
    /// browsers show without running anything, some of them by parts that a sandbox would shut out. HTML goes out as
    /// text.
    private static func policy(_ type: String) -> String? {
        let essence = MediaType(type)?.essence ?? ""
        let isInert = ["image/", "audio/", "video/", "font/"].contains { essence.hasPrefix($0) }
        if isInert || ["application/pdf", "text/plain", "text/html"].contains(essence), !essence.hasSuffix("xml") {
            return nil
        }
        return "sandbox; default-src 'none'; style-src 'unsafe-inline'"
    }
}

extension FilesError {
    /// A row without its file, which only somebody else can have made.
    static let missingFile = FilesError(
        500,
        "InternalError",
        "Internal",
        "The file of this object is missing",
        status: 500
    )

    /// The row of a content that another server has stored, and that is not where we read such contents.
    static let foreignFile = FilesError(
        404,
        "NoSuchKey",
        "not_found",
        "The content of this object is not on this server",
        hint: "content that Supabase has stored is read from STORAGE_SUPABASE_PATH"
    )
}
