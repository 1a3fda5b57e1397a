public import Foundation

extension StorageBucket {
    /// The address of a file in a public bucket, in another size or format if asked. It is made here: nobody is asked
    /// whether there is such a file. `download` is the name under which browsers save it.
    public func getPublicURL(
        path: String,
        download: String? = nil,
        options: TransformOptions? = nil
    ) throws(APIError) -> URL {
        let area = options == nil ? "object/public" : "render/image/public"
        var query = options?.query ?? []
        if let download { query.append(URLQueryItem(name: "download", value: download)) }
        return try client.configuration.url(of: APIEndpoint(.get, "/storage/v1/\(area)/\(place(path))", query: query))
    }

    /// An address that opens one file for a while, to whoever has it. `expiresIn` is in seconds.
    public func createSignedURL(
        path: String,
        expiresIn: Int,
        download: String? = nil,
        transform: TransformOptions? = nil
    ) async throws -> URL {
        let form = SignForm(expiresIn: expiresIn, transform: transform)
        let signed: SignedPath = try await client.request(
            try await client.storage(.post, "object/sign/\(place(path))", body: form, repetition: .safe)
        )
        return try address(signed.signedURL, download: download)
    }

    /// The same for up to 1,000 files. Those that are missing or may not be read have no address.
    public func createSignedURLs(
        paths: [String],
        expiresIn: Int,
        download: String? = nil
    ) async throws -> [(path: String, url: URL?)] {
        let form = SignForm(expiresIn: expiresIn, paths: paths)
        let signed: [SignedFile] = try await client.requestArray(
            try await client.storage(.post, "object/sign/\(QueryText.encoded(id))", body: form, repetition: .safe)
        )
        return try signed.map { file in
            (file.path ?? "", try file.signedURL.map { try address($0, download: download) })
        }
    }

    /// A token with which somebody else stores one file for us, see ``uploadToSignedURL(path:token:data:options:)``.
    public func createSignedUploadURL(path: String, upsert: Bool = false) async throws -> SignedUpload {
        var endpoint = try await client.storage(.post, "object/upload/sign/\(place(path))")
        if upsert { endpoint.headers["x-upsert"] = "true" }
        let signed: SignedUploadPath = try await client.request(endpoint)
        return SignedUpload(url: try address(signed.url, download: nil), path: path, token: signed.token)
    }

    /// Stores a file with a token of ``createSignedUploadURL(path:upsert:)``; nobody has to be signed in.
    @discardableResult
    public func uploadToSignedURL(
        path: String,
        token: String,
        data: Data,
        options: FileOptions = FileOptions()
    ) async throws -> FileUploadResponse {
        var endpoint = APIEndpoint(
            .put,
            "/storage/v1/object/upload/sign/\(place(path))",
            query: [URLQueryItem(name: "token", value: token)],
            body: .data(data, contentType: options.contentType),
            requiresAuth: false
        )
        endpoint.headers = try options.headers()
        let stored = try await client.request(endpoint, as: StoredName.self)
        return FileUploadResponse(id: stored.id, path: path, fullPath: stored.key)
    }

    /// The server gives `/object/sign/bucket/name?token=…`, whose path is not encoded.
    private func address(_ relative: String, download: String?) throws(APIError) -> URL {
        let parts = relative.split(separator: "?", maxSplits: 1)
        guard let path = parts.first else { throw .decoding("\(relative) is no path") }
        var query = parts.count > 1 ? [String(parts[1])] : []
        if let download { query.append("download=\(QueryText.encoded(download))") }
        var text = try client.configuration.url(of: APIEndpoint(.get, "/storage/v1\(Self.encoded(String(path)))"))
            .absoluteString
        if !query.isEmpty { text += "?" + query.joined(separator: "&") }
        guard let url = URL(string: text) else { throw .decoding("\(relative) is no address") }
        return url
    }
}

/// A permission to store one file.
public struct SignedUpload: Sendable, Hashable {
    public let url: URL
    public let path: String
    public let token: String
}

private struct SignForm: Encodable, Sendable {
    let expiresIn: Int
    var transform: TransformOptions?
    var paths: [String]?
}

private struct SignedPath: Decodable, Sendable {
    let signedURL: String
}

private struct SignedFile: Decodable, Sendable {
    let path: String?
    let signedURL: String?
}

private struct SignedUploadPath: Decodable, Sendable {
    let url: String
    let token: String
}
