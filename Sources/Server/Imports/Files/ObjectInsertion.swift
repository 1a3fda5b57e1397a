import SwiftletBlockingPool
import SwiftletFiles
import SwiftletPostgres
import Synchronization

/// Inserts rows of `storage.objects` as they were in the project, but for the version of the file.
final class ObjectInsertion: Sendable {
    private let connection: Mutex<BlockingConnection>
    private let threads = BlockingPool("import-rows", width: 1)
    private let statement: String

    init(_ url: String, columns: [String]) throws {
        let connection = try BlockingConnection.connect(to: url)
        try connection.execute(ProjectDatabase.settings)
        self.connection = Mutex(connection)
        let list = columns.map(\.quotedIdentifier).joined(separator: ", ")
        statement = """
            INSERT INTO storage.objects (\(list))
            SELECT \(list) FROM jsonb_populate_record(NULL::storage.objects, $1::jsonb || CASE WHEN $2::text IS NULL THEN '{}' ELSE
                jsonb_build_object('version', $2::text, 'metadata', coalesce(nullif($1::jsonb -> 'metadata', 'null'), '{}')
                    || jsonb_build_object('sha256', $3::text, 'size', $4::bigint, 'contentLength', $4::bigint)) END)
            ON CONFLICT DO NOTHING
            """
    }

    /// The ids of those that are here already.
    func known(_ objects: [ProjectObject]) throws -> Set<String> {
        let ids = "{\(objects.map(\.id).joined(separator: ","))}"
        return try connection.withLock { connection in
            Set(
                try connection.query("SELECT id FROM storage.objects WHERE id = ANY($1::uuid[])", [ids]).compactMap {
                    $0[0]
                }
            )
        }
    }

    /// Whether nobody knows if a row was made whose insertion has failed.
    func mayHaveCommitted() async throws -> Bool {
        try await threads.finish { self.connection.withLock { $0.isBroken } }
    }

    /// Without a file, the row keeps the version that it had.
    func insert(_ object: ProjectObject, _ file: StoredFile?) async throws {
        let parameters = [object.row, file?.version.text, file?.sha256, file.map { String($0.size) }]
        try await threads.finish {
            _ = try self.connection.withLock { try $0.query(self.statement, parameters) }
        }
    }
}
