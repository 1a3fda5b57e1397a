import SwiftletJSON
import SwiftletPostgres

/// A row of `storage.objects`.
struct ObjectRow: Sendable {
    let id: String
    let bucketID: String
    let name: String
    let owner: String?
    let ownerID: String?
    let version: String?
    let createdAt: String?
    let updatedAt: String?
    let lastAccessedAt: String?
    let metadata: JSONObject?
    let userMetadata: JSONObject?
    /// Seconds since 1970 of the last change.
    let modified: Int

    /// What ``init(_:)`` reads.
    static let columns: SQL = """
        id, bucket_id, name, owner, owner_id, version, metadata, user_metadata,
        to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
        to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at,
        to_char(last_accessed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_accessed_at,
        coalesce(extract(epoch FROM updated_at)::bigint, 0) AS modified
        """

    init(_ row: Row) throws(PostgresError) {
        id = try row.decode(String.self, "id")
        bucketID = try row.decode(String.self, "bucket_id")
        name = try row.decode(String.self, "name")
        owner = try row.decode(String?.self, "owner")
        ownerID = try row.decode(String?.self, "owner_id")
        version = try row.decode(String?.self, "version")
        createdAt = try row.decode(String?.self, "created_at")
        updatedAt = try row.decode(String?.self, "updated_at")
        lastAccessedAt = try row.decode(String?.self, "last_accessed_at")
        metadata = Self.object(row["metadata"])
        userMetadata = Self.object(row["user_metadata"])
        modified = try row.decode(Int.self, "modified")
    }

    static func find(_ bucket: String, _ name: String) -> SQL {
        "SELECT \(columns) FROM storage.objects WHERE bucket_id = \(bucket) AND name = \(name)"
    }

    var size: Int? { metadata?["size"]?.int ?? metadata?["contentLength"]?.int }
    var contentType: String { metadata?["mimetype"]?.string ?? "application/octet-stream" }
    var cacheControl: String { metadata?["cacheControl"]?.string ?? "no-cache" }

    /// With its quotes. A row of others may have none, but a version.
    var eTag: String {
        guard let tag = metadata?["eTag"]?.string, !tag.isEmpty else { return "\"\(version ?? id)\"" }
        return tag.hasPrefix("\"") || tag.hasPrefix("W/") ? tag : "\"\(tag)\""
    }

    func write(_ json: inout JSONWriter) { json.object { writeMembers(&$0) } }

    func writeMembers(_ json: inout JSONWriter) {
        json.member("name", name)
        json.member("bucket_id", bucketID)
        json.member("owner", owner ?? "")
        json.member("owner_id", ownerID)
        json.member("version", version)
        json.member("id", id)
        json.member("updated_at", updatedAt)
        json.member("created_at", createdAt)
        json.member("last_accessed_at", lastAccessedAt)
        json.member("metadata", metadata.map { .object($0) } ?? .null)
        json.member("user_metadata", userMetadata.map { .object($0) } ?? .null)
    }

    private static func object(_ text: String?) -> JSONObject? {
        text.flatMap { try? JSONParser.parse(Array($0.utf8), maximumDepth: JSONParser.depthLimit).object }
    }
}
