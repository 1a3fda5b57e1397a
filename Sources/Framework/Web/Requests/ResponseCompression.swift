import SwiftletBlockingPool
import SwiftletCompression

/// Compresses what clients ask to be compressed: JSON and texts of a kilobyte and more.
///
/// Compression tells who can watch the length of an answer whether what they have put into it occurs in its secrets
/// (BREACH, RFC 9110 §17.6). For that an attacker must make the victim's client send requests of the attacker's choice,
/// with the victim's rights. Here rights come with a header field that no browser adds by itself; where one does,
/// because a request has a cookie, nothing is compressed, and neither are the answers of functions that give out
/// tokens.
struct ResponseCompression: Sendable {
    /// Less is not worth it, as it fits into a packet or two.
    private static let minimumBytes = 1024
    /// More than a loop should spend its time on.
    private static let maximumBytesOnLoop = 65_536

    /// One at a time; what would have to wait for long goes as it is.
    private let pool = BlockingPool("compression", width: 1, depth: 32)

    /// Whether the response is to be compressed; its `Vary` says what that depends on.
    func suits(_ response: inout Response, to request: Request) -> Bool {
        guard Self.isCompressible(response) else { return false }
        response.headers.append(.vary, "Accept-Encoding")
        return AcceptEncoding.takesGzip(request.combinedHeader("Accept-Encoding")) && request.header("Cookie") == nil
    }

    func compress(_ response: inout Response) async {
        let body = response.body
        let compressed: [UInt8]? =
            if body.count <= Self.maximumBytesOnLoop {
                Gzip.compress(body)
            } else {
                try? await pool.run { Gzip.compress(body) }
            }
        guard let compressed, compressed.count < body.count else { return }
        response.body = compressed
        response.headers.append("Content-Encoding", "gzip")
        // The same content in another coding is equal only weakly (RFC 9110 §8.8.1).
        if let tag = response.headers[.etag], !tag.hasPrefix("W/") { response.headers[.etag] = "W/" + tag }
    }

    private static func isCompressible(_ response: Response) -> Bool {
        guard response.body.count >= minimumBytes, response.stream == nil,
            let type = response.headers[.contentType], isText(type),
            response.headers["Content-Encoding"] == nil, response.headers["Set-Cookie"] == nil
        else { return false }
        return response.headers[.contentRange]?.hasPrefix("bytes") != true
    }

    private static func isText(_ type: String) -> Bool {
        let essence = type.prefix { $0 != ";" }.lowercased()
        return essence.hasPrefix("text/") || essence.hasPrefix("application/json") || essence.hasSuffix("+json")
            || essence == "application/javascript"
    }
}
