import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// `/bucket`: the rows of `storage.buckets`, as their policies let the caller read and change them.
struct BucketActions {
    let call: FilesCall
    let maximumFileBytes: Int

    private static let emptiedAtOnce = 1000

    func create() async throws -> Response {
        let body = try call.request.fields()
        let name = try BucketName(body.text("name") ?? body.text("id") ?? "")
        let id = try body.text("id").map { text throws(FilesError) in try BucketName(text) } ?? name
        if let type = try body.text("type"), type.uppercased() != "STANDARD" {
            throw FilesError.badRequest("buckets of the type \(type) are not supported")
        }
        let fields = try BucketFields(body.object, largest: maximumFileBytes)
        let types = fields.allowedTypes ?? nil
        let insert: SQL = """
            INSERT INTO storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
            VALUES (\(id.text), \(name.text), \(call.ownerUUID)::uuid, \(call.ownerID), \(fields.isPublic ?? false),
                \(fields.fileSizeLimit ?? nil), \(types.map(Self.array))::text[])
            """
        _ = try await call.run(asCaller: [insert])
        return .json(["name": .string(name.text)])
    }

    func get(_ id: String) async throws -> Response {
        let rows = try await call.run(asCaller: [Bucket.find(id)], isReadOnly: true)
        guard let row = rows[0].first else { throw FilesError.noBucket }
        let bucket = try Bucket(row)
        return .json { bucket.write(&$0) }
    }

    func list() async throws -> Response {
        let query = call.request.query
        var select: SQL = "SELECT \(Bucket.columns) FROM storage.buckets AS buckets WHERE true"
        if let search = query["search"], !search.isEmpty {
            select.append(" AND position(lower(\(search)) IN lower(name)) > 0")
        }
        select.append(" ORDER BY \(try Self.order(query))")
        if let limit = try Self.number("limit", query, least: 1) { select.append(" LIMIT \(limit)") }
        if let offset = try Self.number("offset", query, least: 0) { select.append(" OFFSET \(offset)") }
        let rows = try await call.run(asCaller: [select], isReadOnly: true)
        let buckets = try rows[0].map { try Bucket($0) }
        return .json { json in json.array { json in for bucket in buckets { bucket.write(&json) } } }
    }

    func update(_ id: String) async throws -> Response {
        let fields = try BucketFields(call.request.fields().object, largest: maximumFileBytes)
        guard !fields.isEmpty else {
            throw FilesError.badRequest("body must have public, file_size_limit or allowed_mime_types")
        }
        var update: SQL = "UPDATE storage.buckets SET updated_at = now()"
        if let isPublic = fields.isPublic { update.append(", public = \(isPublic)") }
        if let limit = fields.fileSizeLimit { update.append(", file_size_limit = \(limit)") }
        if let types = fields.allowedTypes {
            update.append(", allowed_mime_types = \(types.map(Self.array))::text[]")
        }
        update.append(" WHERE id = \(id) RETURNING id")
        guard try await !call.run(asCaller: [update])[0].isEmpty else { throw FilesError.noBucket }
        return .json(["message": "Successfully updated"])
    }

    func delete(_ id: String) async throws -> Response {
        do {
            let delete: SQL = "DELETE FROM storage.buckets WHERE id = \(id) RETURNING id"
            guard try await !call.run(asCaller: [delete])[0].isEmpty else { throw FilesError.noBucket }
        } catch let error as PostgresError where error.state == .foreignKeyViolation {
            throw FilesError.notEmpty
        }
        return .json(["message": "Successfully deleted"])
    }

    /// For the service key only, as no policy is asked for each of the objects.
    func empty(_ id: String) async throws -> Response {
        guard call.caller.role == "service_role" else {
            throw FilesError(403, "AccessDenied", "Unauthorized", "Access denied", status: 403)
        }
        var delete: SQL = "DELETE FROM storage.objects WHERE ctid = ANY (ARRAY("
        delete.append("SELECT ctid FROM storage.objects WHERE bucket_id = \(id) LIMIT \(Self.emptiedAtOnce)")
        delete.append(")) RETURNING id")
        guard try await !call.run(own: [Bucket.find(id)], isReadOnly: true)[0].isEmpty else {
            throw FilesError.noBucket
        }
        // Each round is committed, so that a bucket of any size is empty after some calls.
        while try await call.run(own: [delete])[0].count == Self.emptiedAtOnce { try Task.checkCancellation() }
        return .json(["message": "Empty bucket has been queued. Completion may take up to an hour."])
    }

    /// The text of an array (PostgreSQL manual, 8.15.2).
    private static func array(_ texts: [String]) -> String {
        let quoted = texts.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" }
        return "{\(quoted.joined(separator: ","))}"
    }

    private static func order(_ query: Query) throws(FilesError) -> SQL {
        let isDescending = query["sortOrder"] == "desc"
        switch query["sortColumn"] ?? "id" {
        case "id": return isDescending ? "buckets.id DESC" : "buckets.id"
        case "name": return isDescending ? "buckets.name DESC" : "buckets.name"
        case "created_at":
            return isDescending ? "buckets.created_at DESC, buckets.id" : "buckets.created_at, buckets.id"
        case "updated_at":
            return isDescending ? "buckets.updated_at DESC, buckets.id" : "buckets.updated_at, buckets.id"
        default: throw .badRequest("querystring/sortColumn must be equal to one of the allowed values")
        }
    }

    private static func number(_ name: String, _ query: Query, least: Int) throws(FilesError) -> Int? {
        guard let text = query[name], !text.isEmpty else { return nil }
        guard let number = Int(text), number >= least else {
            throw .badRequest("querystring/\(name) must be >= \(least)")
        }
        return number
    }
}
