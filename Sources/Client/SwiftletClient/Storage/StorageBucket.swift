public import Foundation

/// The files of one bucket. Paths are `folder/name.png`.
public struct StorageBucket: Sendable {
    public let id: String
    let client: APIClient

    init(_ id: String, _ client: APIClient) {
        self.id = id
        self.client = client
    }

    /// Stores a file that is in memory. For large ones see ``uploadResumable(_:file:options:progress:)``.
    @discardableResult
    public func upload(
        _ path: String,
        data: Data,
        options: FileOptions = FileOptions()
    ) async throws -> FileUploadResponse {
        // What replaces may be sent twice.
        let repetition: APIEndpoint.Repetition = options.upsert ? .safe : .never
        var endpoint = try await client.storage(.post, "object/\(place(path))", repetition: repetition)
        endpoint.body = .data(data, contentType: options.contentType)
        endpoint.headers.merge(try options.headers()) { $1 }
        let stored = try await client.request(endpoint, as: StoredName.self)
        return FileUploadResponse(id: stored.id, path: path, fullPath: stored.key)
    }

    /// Replaces a file.
    @discardableResult
    public func update(
        _ path: String,
        data: Data,
        options: FileOptions = FileOptions()
    ) async throws -> FileUploadResponse {
        var options = options
        options.upsert = true
        return try await upload(path, data: data, options: options)
    }

    /// A whole file, in another size or format if asked.
    public func download(path: String, options: TransformOptions? = nil) async throws -> Data {
        let area = options == nil ? "object/authenticated" : "render/image/authenticated"
        return try await client.requestData(
            try await client.storage(.get, "\(area)/\(place(path))", query: options?.query ?? [])
        )
    }

    public func list(path: String = "", options: SearchOptions = SearchOptions()) async throws -> [FileObject] {
        let form = ListForm(prefix: path, options: options)
        return try await client.requestArray(
            try await client.storage(.post, "object/list/\(QueryText.encoded(id))", body: form, repetition: .safe)
        )
    }

    public func info(path: String) async throws -> FileInfo {
        try await client.request(try await client.storage(.get, "object/info/\(place(path))"))
    }

    /// Whether there is such a file that may be read.
    public func exists(path: String) async throws -> Bool {
        let answer = try await client.answer(try await client.storage(.head, "object/\(place(path))"))
        // It has no body to say more.
        if answer.status == 400 || answer.status == 404 { return false }
        _ = try answer.checked()
        return true
    }

    /// Deletes files; those that are missing or may not be deleted are left out of the answer.
    @discardableResult
    public func remove(paths: [String]) async throws -> [FileObject] {
        try await client.requestArray(
            try await client.storage(
                .delete,
                "object/\(QueryText.encoded(id))",
                body: ["prefixes": paths],
                repetition: .safe
            )
        )
    }

    public func move(from source: String, to destination: String, bucket: String? = nil) async throws {
        let form = MoveForm(bucketId: id, sourceKey: source, destinationKey: destination, destinationBucket: bucket)
        try await client.requestVoid(try await client.storage(.post, "object/move", body: form))
    }

    /// Returns the copy's path with its bucket.
    @discardableResult
    public func copy(from source: String, to destination: String, bucket: String? = nil) async throws -> String {
        let form = MoveForm(bucketId: id, sourceKey: source, destinationKey: destination, destinationBucket: bucket)
        let stored: StoredName = try await client.request(try await client.storage(.post, "object/copy", body: form))
        return stored.key
    }

    func place(_ path: String) -> String { "\(QueryText.encoded(id))/\(Self.encoded(path))" }

    static func encoded(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { QueryText.encoded(String($0)) }
            .joined(separator: "/")
    }
}

struct StoredName: Decodable, Sendable {
    let id: String?
    let key: String

    private enum CodingKeys: String, CodingKey {
        case id = "Id"
        case key = "Key"
    }
}

private struct ListForm: Encodable, Sendable {
    let prefix: String
    let options: SearchOptions

    private enum CodingKeys: String, CodingKey { case prefix }

    func encode(to encoder: any Encoder) throws {
        try options.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(prefix, forKey: .prefix)
    }
}

private struct MoveForm: Encodable, Sendable {
    let bucketId: String
    let sourceKey: String
    let destinationKey: String
    let destinationBucket: String?
}
