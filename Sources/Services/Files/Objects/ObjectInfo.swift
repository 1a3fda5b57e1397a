import SwiftletHTTP
import SwiftletWeb

extension ObjectRow {
    /// What is known of an object, without its content.
    var info: Response {
        .json { json in
            json.object { json in
                json.member("id", id)
                json.member("name", name)
                json.member("version", version ?? "")
                json.member("bucket_id", bucketID)
                json.member("size", size)
                json.member("content_type", contentType)
                json.member("cache_control", cacheControl)
                json.member("etag", eTag)
                json.member("metadata", userMetadata.map { .object($0) } ?? .null)
                json.member("last_modified", updatedAt)
                json.member("created_at", createdAt)
            }
        }
    }
}
