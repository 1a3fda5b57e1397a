import SwiftletHTTP
import SwiftletJSON
import SwiftletPostgres
import SwiftletWeb

/// Deletes rows as the caller. Their files go later, see ``FilePurge``.
struct DeleteAction {
    let call: FilesCall
    let bucket: String

    private static let mostNames = 20_000

    func one(_ name: ObjectName) async throws -> Response {
        let exists: SQL = "SELECT id FROM storage.objects WHERE bucket_id = \(bucket) AND name = \(name.text)"
        let delete: SQL =
            "DELETE FROM storage.objects WHERE bucket_id = \(bucket) AND name = \(name.text) RETURNING id"
        let rows = try await call.run(own: [Bucket.find(bucket), exists], asCaller: [delete])
        guard !rows[0].isEmpty else { throw FilesError.noBucket }
        guard !rows[1].isEmpty else { throw FilesError.noObject }
        guard !rows[2].isEmpty else {
            throw FilesError.forbidden("Access denied", hint: "deleting needs policies for DELETE and SELECT")
        }
        return .json(["message": "Successfully deleted"])
    }

    /// Those of the names that there are and that the caller may delete.
    func many() async throws -> Response {
        guard let list = try call.request.fields().object["prefixes"]?.array, !list.isEmpty else {
            throw FilesError.badRequest("body/prefixes must NOT have fewer than 1 items")
        }
        guard list.count <= Self.mostNames else {
            throw FilesError.badRequest("body/prefixes must NOT have more than \(Self.mostNames) items")
        }
        // What is no name is the name of nothing.
        let wanted = list.compactMap { value in value.string.flatMap { try? call.name($0).text } }
        let delete: SQL = """
            DELETE FROM storage.objects WHERE bucket_id = \(bucket) AND name = ANY (\(wanted)::text[])
            RETURNING \(ObjectRow.columns)
            """
        let rows = try await call.run(asCaller: [delete])[0].map { try ObjectRow($0) }
        return .json { json in json.array { json in for row in rows { row.write(&json) } } }
    }
}
