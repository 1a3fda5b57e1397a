import SwiftletEssentials
import SwiftletJSON
import SwiftletPostgres

/// A row of `storage.objects` in the making.
struct NewObject {
    let bucket: String
    let name: ObjectName
    var contentType = "application/octet-stream"
    var cacheControl = "no-cache"
    var userMetadata: JSONObject?
    var robots: String?

    /// Before the content is there: what policies may read of it.
    func trialMetadata(length: Int?) -> JSONObject {
        var metadata: JSONObject = ["mimetype": .string(contentType)]
        if let length { metadata["contentLength"] = JSONValue(length) }
        return metadata
    }

    func metadata(of file: StoredFile) -> JSONObject {
        var metadata: JSONObject = [
            "eTag": .string("\"\(file.md5)\""), "size": JSONValue(file.size), "mimetype": .string(contentType),
            "cacheControl": .string(cacheControl), "lastModified": .string(Self.now),
            "contentLength": JSONValue(file.size), "httpStatusCode": 200, "sha256": .string(file.sha256),
        ]
        if let robots { metadata["xRobotsTag"] = .string(robots) }
        return metadata
    }

    /// Returns no row unless it is an upsert: to return one, the caller would have to be allowed to read it.
    func insertion(
        id: String,
        version: String,
        _ metadata: JSONObject,
        owner: (uuid: String?, id: String?),
        isUpsert: Bool
    ) -> SQL {
        var insert: SQL = """
            INSERT INTO storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
            VALUES (\(id)::uuid, \(bucket), \(name.text), \(owner.uuid)::uuid, \(owner.id), \(version),
                \(JSONValue.object(metadata).description)::jsonb,
                \(userMetadata.map { JSONValue.object($0).description })::jsonb)
            """
        if isUpsert {
            insert.append(
                """
                 ON CONFLICT (bucket_id, name) DO UPDATE SET owner = EXCLUDED.owner, owner_id = EXCLUDED.owner_id,
                    version = EXCLUDED.version, metadata = EXCLUDED.metadata, user_metadata = EXCLUDED.user_metadata
                RETURNING id
                """
            )
        }
        return insert
    }

    private static var now: String {
        Date.now.formatted(.iso8601.year().month().day().time(includingFractionalSeconds: true)) + "Z"
    }
}
