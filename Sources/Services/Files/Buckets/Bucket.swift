import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres

/// A row of `storage.buckets`.
struct Bucket: Sendable {
    let id: String
    let name: String
    let owner: String
    let isPublic: Bool
    let type: String
    let fileSizeLimit: Int?
    let allowedTypes: [String]?
    let createdAt: String?
    let updatedAt: String?

    /// What ``init(_:)`` reads, of `storage.buckets AS buckets`.
    static let columns: SQL = """
        id, name, coalesce(owner_id, owner::text, '') AS owner, coalesce(public, false) AS public,
        coalesce(to_jsonb(buckets) ->> 'type', 'STANDARD') AS type,
        file_size_limit, allowed_mime_types,
        to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
        to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at
        """

    init(_ row: Row) throws(PostgresError) {
        id = try row.decode(String.self, "id")
        name = try row.decode(String.self, "name")
        owner = try row.decode(String.self, "owner")
        isPublic = try row.decode(Bool.self, "public")
        type = try row.decode(String.self, "type")
        fileSizeLimit = try row.decode(Int?.self, "file_size_limit")
        allowedTypes = try row.decode([String]?.self, "allowed_mime_types")
        createdAt = try row.decode(String?.self, "created_at")
        updatedAt = try row.decode(String?.self, "updated_at")
    }

    /// The row as the server itself sees it, whatever the policies.
    static func find(_ id: String) -> SQL { "SELECT \(columns) FROM storage.buckets AS buckets WHERE id = \(id)" }

    func write(_ json: inout JSONWriter) {
        json.object { json in
            json.member("id", id)
            json.member("name", name)
            // Clients of Apple's platforms cannot read null.
            json.member("owner", owner)
            json.member("public", isPublic)
            json.member("type", type)
            json.member("file_size_limit", fileSizeLimit)
            json.key("allowed_mime_types")
            if let allowedTypes {
                json.array { json in for type in allowedTypes { json.write(type) } }
            } else {
                json.writeNull()
            }
            json.member("created_at", createdAt)
            json.member("updated_at", updatedAt)
        }
    }

    /// Throws ``FilesError`` unless it takes content of this type. Parameters, such as the character set, do not count.
    func admit(_ type: MediaType) throws(FilesError) {
        guard let allowedTypes, !allowedTypes.isEmpty else { return }
        let isAllowed = allowedTypes.contains { pattern in
            type.matches(MediaType(pattern)?.essence ?? pattern)
        }
        guard isAllowed else { throw .badType("mime type \(type.essence) is not supported") }
    }
}
