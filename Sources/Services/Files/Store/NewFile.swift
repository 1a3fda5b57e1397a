import SwiftletPostgres

/// A file that is stored before its row is made.
///
/// A note of the purge is there before the file, and the row's transaction deletes it: of a server that ends in between,
/// the purge finds the file. It asks whether a row has the file, so a note too much does no harm.
struct NewFile {
    private let version = FileVersion.unique()
    private let files: FileStore
    private let note: String

    /// Notes a file that is to come.
    init(_ call: FilesCall, _ files: FileStore) async throws {
        self.files = files
        let rows = try await call.run(own: [
            """
            INSERT INTO storage.swiftlet_purge (version, at)
            VALUES (\(version.text), clock_timestamp() + \(Self.expectedSeconds) * interval '1 second') RETURNING id
            """
        ])
        note = rows.first?.first?["id"] ?? ""
    }

    /// How long an upload may take before its note counts as that of a file that is gone: twice the life of an upload.
    private static let expectedSeconds = 48 * 3600

    /// Stores the chunks as ``FileStore/put(_:as:limit:)``, then has the row made with the file and the statement that
    /// deletes the note, which belongs into the row's transaction.
    ///
    /// Removes the file if that throws, unless nobody knows whether there is a row: then it stays until the purge knows.
    func stored<Chunks: AsyncSequence, Value>(
        _ chunks: Chunks,
        limit: Int,
        _ call: FilesCall,
        makeRow: (_ file: StoredFile, _ forgettingNote: SQL) async throws -> Value
    ) async throws -> Value where Chunks.Element == [UInt8] {
        let forgetting: SQL = "DELETE FROM storage.swiftlet_purge WHERE id = \(note)::bigint"
        do {
            return try await makeRow(try await files.put(chunks, as: version, limit: limit), forgetting)
        } catch {
            guard !Self.mayHaveCommitted(error) else { throw error }
            // In this order: a note without a file is none too few.
            if (try? await files.delete(version)) != nil { _ = try? await call.run(own: [forgetting]) }
            throw error
        }
    }

    private static func mayHaveCommitted(_ error: any Error) -> Bool {
        guard let error = error as? PostgresError else { return false }
        return [.connectionLostAfterSending, .timeout, .cancelled].contains(error.kind)
    }
}
