import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Buckets and their objects. All goes through `/storage/v1`, so that its rules and limits hold here too.
struct FilePages: Sendable {
    let database: ConsoleDatabase
    let settings: ConsoleSettings

    private static let root = "/storage/v1"
    private static let pageSize = 100

    /// The buckets, with how many objects they have and how large they are, as far as is quickly counted.
    func buckets(_ asked: ConsoleRequest) async throws -> Response {
        try await database.read { transaction in
            .text(
                try await transaction.json(
                    """
                    SELECT coalesce(json_agg(b ORDER BY b.name), '[]') FROM (
                        SELECT id, name, public, file_size_limit, allowed_mime_types, created_at, c.objects, c.bytes
                        FROM storage.buckets, LATERAL (
                            SELECT count(*) AS objects, coalesce(sum(size), 0) AS bytes FROM (
                                SELECT (metadata ->> 'size')::bigint AS size FROM storage.objects
                                WHERE bucket_id = buckets.id LIMIT 10001
                            ) o
                        ) c
                    ) b
                    """
                )
            )
        }
    }

    /// `{"bucket", "prefix", "cursor"}`: folders and objects below a prefix, a page at a time.
    func list(_ asked: ConsoleRequest) async throws -> Response {
        let body = try asked.body()
        let fields: JSONObject = [
            "prefix": body["prefix"] ?? "", "cursor": body["cursor"] ?? "", "limit": .number(JSONNumber(Self.pageSize)),
            "with_delimiter": true,
        ]
        let bucket = PercentCoding.encode(body["bucket"]?.string ?? "")
        let answer = try await service.send(asked, .post, "\(Self.root)/object/list-v2/\(bucket)", fields)
        guard answer.isSuccess else { throw ServiceCall.refusal(answer) }
        return Response(json: answer.body)
    }

    /// The content of one object, as bytes that no browser takes for a page of ours.
    func object(_ asked: ConsoleRequest) async throws -> Response {
        var answer = try await service.send(asked, .get, "\(Self.root)/object/authenticated/\(try path(asked))")
        guard answer.isSuccess else { throw ServiceCall.refusal(answer) }
        let type = answer.headers[.contentType] ?? "application/octet-stream"
        var headers = Headers()
        headers.append(.contentType, "application/octet-stream")
        headers.append("X-Object-Type", type)
        headers.append(.contentDisposition, "attachment")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Content-Security-Policy", "default-src 'none'; sandbox")
        answer.headers = headers
        answer.isCacheable = false
        return answer
    }

    /// Stores the request's content as an object.
    func upload(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let path = try path(asked)
        var headers: [(Headers.Name, String)] = [
            (.contentType, asked.request.header("X-Object-Type") ?? "application/octet-stream")
        ]
        if asked.request.query["replace"] == "1" { headers.append(("x-upsert", "true")) }
        let before = try await state(asked)
        let answer = try await service.upload(asked, "\(Self.root)/object/\(path)", headers)
        guard answer.isSuccess else { throw ServiceCall.refusal(answer) }
        return try await done(asked, "upload file", name(asked), before, try await state(asked))
    }

    /// `{"action": "delete", "bucket", "names"}`, or `"create bucket"`, `"change bucket"`, `"empty bucket"` and
    /// `"delete bucket"` with `{"bucket", "public"}`.
    func change(_ asked: ConsoleRequest) async throws -> Response {
        try asked.require(.editor)
        let body = try asked.body()
        let bucket = body["bucket"]?.string ?? ""
        let path = PercentCoding.encode(bucket)
        let isPublic = body["public"]?.bool ?? false
        let action = body["action"]?.string ?? ""
        switch action {
        case "delete":
            let names = (body["names"]?.array ?? []).compactMap(\.string)
            guard !names.isEmpty else { throw ConsoleError.bad("Which files?") }
            let before = try await state(bucket, names)
            let fields: JSONObject = ["prefixes": .array(names.map { .string($0) })]
            let answer = try await service.send(asked, .delete, "\(Self.root)/object/\(path)", fields)
            let object = names.count == 1 ? "\(bucket)/\(names[0])" : "\(bucket): \(names.count) files"
            return try await ended(answer, asked, "delete file", object, before, try await state(bucket, names))
        case "create bucket":
            let fields: JSONObject = ["id": .string(bucket), "name": .string(bucket), "public": .bool(isPublic)]
            return try await bucketChange(asked, action, bucket, .post, "bucket", fields)
        case "change bucket":
            return try await bucketChange(asked, action, bucket, .put, "bucket/\(path)", ["public": .bool(isPublic)])
        case "empty bucket": return try await bucketChange(asked, action, bucket, .post, "bucket/\(path)/empty", [:])
        case "delete bucket": return try await bucketChange(asked, action, bucket, .delete, "bucket/\(path)", nil)
        default: throw ConsoleError.bad("What is to be done?")
        }
    }

    private func bucketChange(
        _ asked: ConsoleRequest,
        _ action: String,
        _ bucket: String,
        _ method: SwiftletHTTP.Method,
        _ path: String,
        _ fields: JSONObject?
    ) async throws -> Response {
        let before = try await state(ofBucket: bucket)
        let answer = try await service.send(asked, method, "\(Self.root)/\(path)", fields)
        return try await ended(answer, asked, action, bucket, before, try await state(ofBucket: bucket))
    }

    /// What was refused may have been done in part.
    private func ended(
        _ answer: Response,
        _ asked: ConsoleRequest,
        _ action: String,
        _ object: String,
        _ before: String?,
        _ after: String?
    ) async throws -> Response {
        if answer.isSuccess { return try await done(asked, action, object, before, after) }
        if before != after { _ = try await done(asked, "\(action), in part", object, before, after) }
        throw ServiceCall.refusal(answer)
    }

    private func done(
        _ asked: ConsoleRequest,
        _ action: String,
        _ object: String,
        _ before: String?,
        _ after: String?
    ) async throws -> Response {
        let entry = OperatorAction(action: action, object: object, before: before, after: after)
        return .done(try await database.write { try await entry.write(asked, in: $0) })
    }

    private var service: ServiceCall { ServiceCall(settings: settings) }

    /// The bucket and the object as `/storage/v1` wants them in a path.
    private func path(_ asked: ConsoleRequest) throws(ConsoleError) -> String {
        let name = asked.request.query["name"] ?? ""
        let bucket = asked.request.query["bucket"] ?? ""
        guard !name.isEmpty, !bucket.isEmpty else { throw .bad("Which file?") }
        let segments = name.split(separator: "/", omittingEmptySubsequences: false).map {
            PercentCoding.encode(String($0))
        }
        return "\(PercentCoding.encode(bucket))/\(segments.joined(separator: "/"))"
    }

    private func name(_ asked: ConsoleRequest) -> String {
        "\(asked.request.query["bucket"] ?? "")/\(asked.request.query["name"] ?? "")"
    }

    private func state(_ asked: ConsoleRequest) async throws -> String? {
        try await state(asked.request.query["bucket"] ?? "", [asked.request.query["name"] ?? ""])
    }

    /// What the objects are; nil for none.
    private func state(_ bucket: String, _ names: [String]) async throws -> String? {
        var builder = StatementBuilder(
            "SELECT json_agg(o) FROM (SELECT name, metadata, updated_at FROM storage.objects "
        )
        builder.add("WHERE bucket_id = ")
        builder.bind(bucket)
        builder.add(" AND name = ANY(")
        builder.bind(names)
        builder.add("::text[]) ORDER BY name LIMIT 1000) o")
        let statement = builder
        let found = try await database.read { try await $0.json(statement) }
        return found == "null" ? nil : found
    }

    private func state(ofBucket bucket: String) async throws -> String? {
        let found = try await database.read { transaction in
            try await transaction.json(
                """
                SELECT json_build_object('id', id, 'public', public,
                    'objects', (SELECT count(*) FROM storage.objects WHERE bucket_id = buckets.id))
                FROM storage.buckets WHERE id = \(bucket)
                """
            )
        }
        return found == "null" ? nil : found
    }
}
