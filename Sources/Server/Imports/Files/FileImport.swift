import SwiftletFiles
import SwiftletPostgres
import SwiftletStorage

/// Brings the objects of a project, each with its file: the row comes when the file is there, so that a broken import
/// goes on where it was.
struct FileImport {
    let project: ProjectDatabase
    let target: ImportTarget
    let targetURL: String
    let files: ProjectFiles
    let store: FileStore
    let progress: (String) -> Void

    struct Outcome: Equatable {
        var imported = 0
        /// "bucket/name"
        var missing: [String] = []
    }

    private static let atOnce = 8
    private static let batch = 500

    func run() async throws -> Outcome {
        guard try project.connection.query("SELECT to_regclass('storage.objects') IS NOT NULL") == [["t"]] else {
            return Outcome()
        }
        let rows = try ObjectInsertion(targetURL, columns: columns())
        var outcome = Outcome()
        var last = "00000000-0000-0000-0000-000000000000"
        while true {
            let batch = try next(after: last)
            guard let end = batch.last else { return outcome }
            last = end.id
            let known = try rows.known(batch)
            try await bring(batch.filter { !known.contains($0.id) }, rows, &outcome)
            if outcome.imported > 0 { progress("\(outcome.imported) files so far") }
        }
    }

    private func bring(_ objects: [ProjectObject], _ rows: ObjectInsertion, _ outcome: inout Outcome) async throws {
        var rest = objects[...]
        let (files, store) = (files, store)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<Self.atOnce {
                if let object = rest.popFirst() { group.addTask { try await fetch(object, rows, files, store) } }
            }
            while let missing = try await group.next() {
                if let missing { outcome.missing.append(missing) } else { outcome.imported += 1 }
                if let object = rest.popFirst() { group.addTask { try await fetch(object, rows, files, store) } }
            }
        }
    }

    private func next(after id: String) throws -> [ProjectObject] {
        try project.rows(
            """
            SELECT id, bucket_id, name, coalesce(version, ''), metadata ->> 'size', to_jsonb(o)
            FROM storage.objects o WHERE id > \(ImportLedger.literal(id)) ORDER BY id LIMIT \(Self.batch)
            """
        ).map { row in
            ProjectObject(
                id: row[0],
                bucket: row[1],
                name: row[2],
                version: row[3],
                size: Int(row[4]),
                row: row[5]
            )
        }
    }

    /// Those of both sides that can be written.
    private func columns() throws -> [String] {
        let there = Set(
            try project.texts(
                "SELECT attname FROM pg_attribute WHERE attrelid = 'storage.objects'::regclass AND attnum > 0 AND NOT attisdropped"
            )
        )
        let here = try target.connection.query(
            """
            SELECT attname FROM pg_attribute
            WHERE attrelid = 'storage.objects'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
            """
        ).compactMap { $0[0] }
        return here.filter { there.contains($0) }
    }
}

/// Returns the object's name if its file is not to be had.
private func fetch(
    _ object: ProjectObject,
    _ rows: ObjectInsertion,
    _ files: ProjectFiles,
    _ store: FileStore
) async throws -> String? {
    if case .none = files {
        try await rows.insert(object, nil)
        return nil
    }
    let name = "\(object.bucket)/\(object.name)"
    let stored: StoredFile
    do {
        switch try await files.open(object) {
        case .stored(let chunks)?: stored = try await store.put(chunks, limit: .max)
        case .remote(let chunks)?: stored = try await store.put(chunks, limit: .max)
        case nil: return name
        }
    } catch is MissingFile {
        return name
    } catch StorageError.damaged {
        return name
    }
    do {
        // A file that is cut short is none.
        if let size = object.size, size != stored.size {
            try await store.delete(stored.version)
            return name
        }
        try await rows.insert(object, stored)
    } catch {
        if (try? await rows.mayHaveCommitted()) == false { try? await store.delete(stored.version) }
        throw error
    }
    return nil
}
