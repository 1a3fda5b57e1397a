public import Foundation

/// How a file is stored.
public struct FileOptions: Sendable, Hashable {
    /// How long browsers and caches may keep it, in seconds.
    public var cacheControl: Int
    public var contentType: String
    /// Whether a file of that name is replaced; otherwise it is ``APIError/conflict(_:)``.
    public var upsert: Bool
    /// For the app, beside the file.
    public var metadata: [String: String]

    public init(
        cacheControl: Int = 3600,
        contentType: String = "application/octet-stream",
        upsert: Bool = false,
        metadata: [String: String] = [:]
    ) {
        self.cacheControl = cacheControl
        self.contentType = contentType
        self.upsert = upsert
        self.metadata = metadata
    }

    func headers() throws -> [String: String] {
        var headers = ["Cache-Control": "max-age=\(cacheControl)", "x-upsert": upsert ? "true" : "false"]
        if !metadata.isEmpty { headers["x-metadata"] = try JSONEncoder().encode(metadata).base64EncodedString() }
        return headers
    }

    /// What TUS says of a file in `Upload-Metadata`.
    func resumableMetadata(bucket: String, path: String) throws -> String {
        var fields = [
            "bucketName": bucket, "objectName": path, "contentType": contentType, "cacheControl": "\(cacheControl)",
        ]
        if !metadata.isEmpty {
            fields["metadata"] = String(decoding: try JSONEncoder().encode(metadata), as: UTF8.self)
        }
        return fields.sorted { $0.key < $1.key }
            .map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }.joined(separator: ",")
    }
}

/// A file that was stored.
public struct FileUploadResponse: Sendable, Hashable {
    /// nil where the server does not say it.
    public let id: String?
    /// Within the bucket.
    public let path: String
    /// With the bucket's id.
    public let fullPath: String
}

/// A row of a list: a file, or a folder, which has nothing but a name.
public struct FileObject: Decodable, Sendable, Hashable {
    public let name: String
    public let id: String?
    public let createdAt: Date?
    public let updatedAt: Date?
    public let lastAccessedAt: Date?
    public let metadata: Metadata?

    public var isFolder: Bool { id == nil }

    public struct Metadata: Decodable, Sendable, Hashable {
        /// In bytes.
        public let size: Int64?
        public let mimetype: String?
        public let eTag: String?
        public let cacheControl: String?
    }
}

/// What is known of one file.
public struct FileInfo: Decodable, Sendable, Hashable {
    public let id: String
    public let name: String
    /// In bytes.
    public let size: Int64?
    public let contentType: String?
    public let cacheControl: String?
    public let etag: String?
    public let createdAt: Date?
    public let lastModified: Date?
    /// The texts that were stored with it, see ``FileOptions/metadata``.
    public let metadata: [String: String]

    private enum CodingKeys: String, CodingKey {
        case id, name, size, contentType, cacheControl, etag, createdAt, lastModified, metadata
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: CodingKeys.self)
        id = try row.decode(String.self, forKey: .id)
        name = try row.decode(String.self, forKey: .name)
        size = try row.decodeIfPresent(Int64.self, forKey: .size)
        contentType = try row.decodeIfPresent(String.self, forKey: .contentType)
        cacheControl = try row.decodeIfPresent(String.self, forKey: .cacheControl)
        etag = try row.decodeIfPresent(String.self, forKey: .etag)
        createdAt = try row.decodeIfPresent(Date.self, forKey: .createdAt)
        lastModified = try row.decodeIfPresent(Date.self, forKey: .lastModified)
        metadata = (try? row.decode([String: String].self, forKey: .metadata)) ?? [:]
    }
}

/// Which files of a folder a list has.
public struct SearchOptions: Sendable, Hashable, Encodable {
    public struct SortBy: Sendable, Hashable, Encodable {
        public var column: String
        public var order: String

        /// By `name`, `updated_at`, `created_at` or `last_accessed_at`; `asc` or `desc`.
        public init(column: String = "name", order: String = "asc") {
            self.column = column
            self.order = order
        }
    }

    public var limit: Int
    public var offset: Int
    public var sortBy: SortBy
    /// How names begin.
    public var search: String?

    public init(limit: Int = 100, offset: Int = 0, sortBy: SortBy = SortBy(), search: String? = nil) {
        self.limit = limit
        self.offset = offset
        self.sortBy = sortBy
        self.search = search
    }
}

/// Another size or format of an image.
public struct TransformOptions: Sendable, Hashable, Encodable {
    /// `cover` fills the size and cuts what stands out, `contain` shows all, `fill` stretches.
    public enum Resize: String, Sendable, Encodable { case cover, contain, fill }

    public var width: Int?
    public var height: Int?
    public var resize: Resize?
    /// From 20 to 100.
    public var quality: Int?
    /// `origin`, `webp` or `avif`.
    public var format: String?

    public init(
        width: Int? = nil,
        height: Int? = nil,
        resize: Resize? = nil,
        quality: Int? = nil,
        format: String? = nil
    ) {
        self.width = width
        self.height = height
        self.resize = resize
        self.quality = quality
        self.format = format
    }

    var query: [URLQueryItem] {
        var query = Query()
        query.add("width", width)
        query.add("height", height)
        query.add("resize", resize?.rawValue)
        query.add("quality", quality)
        query.add("format", format)
        return query.items
    }
}

/// How much of a file has arrived.
public struct TransferProgress: Sendable, Hashable {
    /// In bytes.
    public let completed: Int64
    public let total: Int64

    /// From 0 to 1.
    public var fraction: Double { total == 0 ? 1 : Double(completed) / Double(total) }
}
