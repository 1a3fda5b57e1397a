import SwiftletHTTP
import SwiftletPostgres
import SwiftletWeb

/// Where an object is and where it, or a copy of it, shall be.
struct Relocation {
    let bucket: String
    let source: ObjectName
    let targetBucket: String
    let target: ObjectName

    init(_ fields: RequestFields, _ call: FilesCall) throws(FilesError) {
        bucket = try fields.required("bucketId")
        source = try call.name(fields.required("sourceKey"))
        target = try call.name(fields.required("destinationKey"))
        let other = try fields.text("destinationBucket") ?? ""
        targetBucket = other.isEmpty ? bucket : other
    }
}

/// Gives an object another name as the caller. Its file stays where it is.
struct MoveAction {
    let call: FilesCall

    func run(_ move: Relocation) async throws -> Response {
        let update: SQL = """
            UPDATE storage.objects SET name = \(move.target.text), bucket_id = \(move.targetBucket)
            WHERE bucket_id = \(move.bucket) AND name = \(move.source.text)
                AND (coalesce(version, '') = '' OR starts_with(version, 's1.')) RETURNING id
            """
        // Where Supabase has stored a content, the name is in its path.
        let foreign: SQL = """
            SELECT FROM storage.objects WHERE bucket_id = \(move.bucket) AND name = \(move.source.text)
                AND version <> '' AND NOT starts_with(version, 's1.')
            """
        let rows = try await call.run(own: [Bucket.find(move.bucket)], asCaller: [update, foreign])
        guard !rows[0].isEmpty else { throw FilesError.noBucket }
        guard rows[2].isEmpty else {
            throw FilesError.badRequest("an object that Supabase has stored cannot be moved, but copied and deleted")
        }
        guard let id = rows[1].first?["id"] else { throw FilesError.noObject }
        return .json([
            "message": "Successfully moved", "Id": .string(id),
            "Key": .string("\(move.targetBucket)/\(move.target.text)"),
        ])
    }
}
