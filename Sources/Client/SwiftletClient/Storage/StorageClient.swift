public import Foundation

/// Files in buckets, over `/storage/v1`: what the server's policies let the signed-in user, or the app's key, do.
///
///     let files = StorageClient(client)
///     let avatars = files.from("avatars")
///     try await avatars.upload("ada/me.png", data: png, options: FileOptions(contentType: "image/png", upsert: true))
///     let url = try avatars.getPublicURL(path: "ada/me.png", options: TransformOptions(width: 400))
///
/// All errors are ``APIError``s, except `CancellationError`.
public struct StorageClient: Sendable {
    let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    /// The files of one bucket.
    public func from(_ bucket: String) -> StorageBucket { StorageBucket(bucket, client) }

    public func listBuckets() async throws -> [Bucket] {
        try await client.requestArray(try await client.storage(.get, "bucket"))
    }

    public func getBucket(_ id: String) async throws -> Bucket {
        try await client.request(try await client.storage(.get, "bucket/\(QueryText.encoded(id))"))
    }

    public func createBucket(_ id: String, options: BucketOptions = BucketOptions()) async throws {
        let form = BucketForm(id: id, name: id, options: options)
        try await client.requestVoid(try await client.storage(.post, "bucket", body: form))
    }

    public func updateBucket(_ id: String, options: BucketOptions) async throws {
        let form = BucketForm(id: id, name: id, options: options)
        try await client.requestVoid(try await client.storage(.put, "bucket/\(QueryText.encoded(id))", body: form))
    }

    /// Removes all its files, a while later. Only for the service's key.
    public func emptyBucket(_ id: String) async throws {
        try await client.requestVoid(try await client.storage(.post, "bucket/\(QueryText.encoded(id))/empty"))
    }

    /// Throws ``APIError/conflict(_:)`` for a bucket that has files.
    public func deleteBucket(_ id: String) async throws {
        try await client.requestVoid(try await client.storage(.delete, "bucket/\(QueryText.encoded(id))"))
    }
}

/// A place for files, with rules of its own.
public struct Bucket: Decodable, Sendable, Hashable, Identifiable {
    public let id: String
    public let name: String
    public let owner: String?
    /// Everybody may read its files.
    public let isPublic: Bool
    /// In bytes.
    public let fileSizeLimit: Int64?
    /// Such as `image/*`.
    public let allowedMimeTypes: [String]?
    public let createdAt: Date
    public let updatedAt: Date

    private enum CodingKeys: String, CodingKey {
        case id, name, owner, fileSizeLimit, allowedMimeTypes, createdAt, updatedAt
        case isPublic = "public"
    }
}

/// What a bucket takes, and who reads it.
public struct BucketOptions: Sendable, Hashable {
    public var isPublic: Bool
    /// In bytes, or as a text such as `5MB`.
    public var fileSizeLimit: String?
    public var allowedMimeTypes: [String]?

    public init(public isPublic: Bool = false, fileSizeLimit: String? = nil, allowedMimeTypes: [String]? = nil) {
        self.isPublic = isPublic
        self.fileSizeLimit = fileSizeLimit
        self.allowedMimeTypes = allowedMimeTypes
    }
}

private struct BucketForm: Encodable, Sendable {
    let id: String
    let name: String
    let options: BucketOptions

    private enum CodingKeys: String, CodingKey {
        case id, name
        case isPublic = "public"
        case fileSizeLimit = "file_size_limit"
        case allowedMimeTypes = "allowed_mime_types"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(name, forKey: .name)
        try container.encode(options.isPublic, forKey: .isPublic)
        try container.encodeIfPresent(options.fileSizeLimit, forKey: .fileSizeLimit)
        try container.encodeIfPresent(options.allowedMimeTypes, forKey: .allowedMimeTypes)
    }
}

extension APIClient {
    /// A request below `/storage/v1`, as the signed-in user, or with the app's key. Keys are sent as they are spelled.
    func storage(
        _ method: APIEndpoint.Method,
        _ path: String,
        query: [URLQueryItem] = [],
        body: (any Encodable & Sendable)? = nil,
        repetition: APIEndpoint.Repetition? = nil
    ) async throws -> APIEndpoint {
        let isSignedIn = try await keeper.current() != nil
        var endpoint = APIEndpoint(
            method,
            "/storage/v1/\(path)",
            query: query,
            requiresAuth: isSignedIn,
            repetition: repetition
        )
        if let body {
            do {
                endpoint.body = .data(try JSONEncoder().encode(body), contentType: "application/json")
            } catch {
                throw APIError.invalidRequest("\(error)")
            }
        }
        if !isSignedIn, let key = configuration.apiKey { endpoint.headers["Authorization"] = "Bearer \(key)" }
        return endpoint
    }
}
