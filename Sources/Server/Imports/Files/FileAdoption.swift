import SwiftletEssentials
import SwiftletFiles
import SwiftletPostgres
package import SwiftletStorage

/// Copies what Supabase has stored in a folder to the server's own storage, and points the rows at the copies. The folder
/// is left as it is. It may be broken off and run again, and the server may serve meanwhile.
package struct FileAdoption {
    private let databaseURL: String
    private let folder: ForeignFolder
    private let store: FileStore

    package init(_ databaseURL: String, _ folder: ForeignFolder, _ storage: ObjectStorage) {
        self.databaseURL = databaseURL
        self.folder = folder
        store = FileStore(storage: storage)
    }

    package struct Outcome: Equatable, Sendable {
        package var adopted = 0
        /// "bucket/name" of rows whose file is not in the folder, or is of another size.
        package var missing: [String] = []
    }

    private static let batch = 200

    /// With `isDryRun`, the files are only looked for.
    package func run(isDryRun: Bool, progress: (String) -> Void) async throws -> Outcome {
        let connection = try BlockingConnection.connect(to: databaseURL)
        var outcome = Outcome()
        var last = "00000000-0000-0000-0000-000000000000"
        while true {
            let rows = try connection.query(Self.next, [last, String(Self.batch)]).map { row in row.map { $0 ?? "" } }
            guard let end = rows.last else { return outcome }
            last = end[0]
            for row in rows {
                let name = "\(row[1])/\(row[2])"
                let path = [row[1]] + row[2].split(separator: "/").map(String.init) + [row[3]]
                guard let file = try await folder.open(path), Int(row[4]).map({ $0 == file.length }) ?? true else {
                    outcome.missing.append(name)
                    continue
                }
                if !isDryRun { try await adopt(file, row, connection) }
                outcome.adopted += 1
            }
            progress("\(outcome.adopted) files so far")
        }
    }

    private func adopt(_ file: StoredObject, _ row: [String], _ connection: borrowing BlockingConnection) async throws {
        let stored = try await store.put(file.chunks, limit: .max)
        let changed: [[String?]]
        do {
            changed = try connection.query(
                Self.point,
                [row[0], row[3], stored.version.text, stored.sha256, String(stored.size)]
            )
        } catch {
            // Of a connection that has ended, nobody knows whether the row was changed.
            if !connection.isBroken { try? await store.delete(stored.version) }
            throw error
        }
        // Somebody has replaced or removed it meanwhile.
        if changed.isEmpty { try await store.delete(stored.version) }
    }

    private static let next = """
        SELECT id, bucket_id, name, version, coalesce(metadata ->> 'size', '') FROM storage.objects
        WHERE id > $1::uuid AND version <> '' AND version NOT LIKE 's1.%' ORDER BY id LIMIT $2::integer
        """

    private static let point = """
        UPDATE storage.objects SET version = $3, metadata = coalesce(metadata, '{}')
            || jsonb_build_object('sha256', $4::text, 'size', $5::bigint, 'contentLength', $5::bigint)
        WHERE id = $1::uuid AND version = $2 RETURNING id
        """
}
