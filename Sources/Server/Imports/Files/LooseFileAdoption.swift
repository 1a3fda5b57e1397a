import SwiftletEssentials
import SwiftletFiles
import SwiftletPostgres
package import SwiftletStorage

/// Makes objects of files that no row knows: those of a folder or a bucket that was filled without Supabase. Rows are
/// made as the server, without owners. What has a row already is left alone, so it may be broken off and run again.
package struct LooseFileAdoption {
    package enum Source: Sendable {
        /// Links are not followed, and hidden files stay.
        case folder(String)
        case bucket(ForeignBucket)
    }

    package struct Outcome: Equatable, Sendable {
        package var adopted = 0
        package var known = 0
        /// Names that no object can have.
        package var refused: [String] = []
        /// Those of another file, but for the normal form of Unicode.
        package var clashing: [String] = []
        /// Names of what is listed and not to be had whole.
        package var missing: [String] = []

        package var isComplete: Bool { refused.isEmpty && clashing.isEmpty && missing.isEmpty }

        /// Of objects, those that have other normal forms.
        var seen: Set<String> = []
    }

    private let databaseURL: String
    private let source: Source
    private let bucket: String
    private let folder: String
    private let store: FileStore
    private let contentType: (String) -> String

    private static let batch = 500

    /// Objects go into `folder` of `bucket`; an empty one is the bucket itself.
    package init(
        _ databaseURL: String,
        _ source: Source,
        into bucket: String,
        folder: String,
        _ storage: ObjectStorage,
        contentType: @escaping (String) -> String
    ) {
        (self.databaseURL, self.source, self.bucket) = (databaseURL, source, bucket)
        self.folder = folder.isEmpty || folder.hasSuffix("/") ? folder : folder + "/"
        store = FileStore(storage: storage)
        self.contentType = contentType
    }

    /// With `isDryRun`, only counts. Throws ``ImportError`` without the bucket's row.
    package func run(isDryRun: Bool, progress: (String) -> Void) async throws -> Outcome {
        let connection = try BlockingConnection.connect(to: databaseURL)
        guard try connection.query("SELECT 1 FROM storage.buckets WHERE id = $1", [bucket]) == [["1"]] else {
            throw ImportError.refused(
                "there is no bucket \(bucket): INSERT INTO storage.buckets (id, name) VALUES ('\(bucket)', '\(bucket)')"
            )
        }
        var outcome = Outcome()
        switch source {
        case .folder(let path):
            let files = ForeignFolder(path: path)
            let names = Self.names(below: path)
            for start in stride(from: 0, to: names.count, by: Self.batch) {
                let page = Array(names[start..<min(start + Self.batch, names.count)])
                try await adopt(page, isDryRun, connection, &outcome, progress) { name in
                    try await files.open(name.split(separator: "/").map(String.init))
                }
            }
        case .bucket(let objects):
            try await objects.list { page in
                // Whoever makes a folder in a console of S3 makes an empty object for it.
                let names = page.filter { !$0.isEmpty && !$0.hasSuffix("/") }
                try await adopt(names, isDryRun, connection, &outcome, progress) { try await objects.open($0) }
            }
        }
        return outcome
    }

    private func adopt(
        _ names: [String],
        _ isDryRun: Bool,
        _ connection: borrowing BlockingConnection,
        _ outcome: inout Outcome,
        _ progress: (String) -> Void,
        open: (String) async throws -> StoredObject?
    ) async throws {
        for file in names {
            guard let name = FileStore.name(folder + file) else {
                outcome.refused.append(file)
                continue
            }
            // The source may tell apart what is one name here.
            if name.utf8.contains(where: { $0 >= 0x80 }), !outcome.seen.insert(name).inserted {
                outcome.clashing.append(file)
                continue
            }
            let known = "SELECT 1 FROM storage.objects WHERE bucket_id = $1 AND name = $2"
            guard try connection.query(known, [bucket, name]).isEmpty else {
                outcome.known += 1
                continue
            }
            if !isDryRun {
                do {
                    guard let object = try await open(file) else { throw StorageError.damaged }
                    guard try await insert(object, name, connection) else {
                        outcome.known += 1
                        continue
                    }
                } catch StorageError.damaged {
                    outcome.missing.append(file)
                    continue
                }
            }
            outcome.adopted += 1
        }
        if outcome.adopted > 0 { progress("\(outcome.adopted) files so far") }
    }

    /// Whether it was made; somebody may have made one of this name meanwhile.
    private func insert(
        _ object: StoredObject,
        _ name: String,
        _ connection: borrowing BlockingConnection
    ) async throws -> Bool {
        let stored = try await store.put(object.chunks, limit: .max)
        let made: [[String?]]
        do {
            made = try connection.query(
                Self.insertion,
                [bucket, name, stored.version.text, stored.md5, String(stored.size), contentType(name), stored.sha256]
            )
        } catch {
            // Of a connection that has ended, nobody knows whether the row was made.
            if !connection.isBroken { try? await store.delete(stored.version) }
            throw error
        }
        if made.isEmpty { try await store.delete(stored.version) }
        return !made.isEmpty
    }

    private static func names(below path: String) -> [String] {
        FileTree(path, skipsHidden: true).files().filter { !$0.isLink }.map(\.name)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static let insertion = """
        INSERT INTO storage.objects (bucket_id, name, version, metadata) VALUES ($1, $2, $3, jsonb_build_object(
            'eTag', '"' || $4::text || '"', 'size', $5::bigint, 'mimetype', $6::text, 'cacheControl', 'no-cache',
            'lastModified', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'contentLength', $5::bigint, 'httpStatusCode', 200, 'sha256', $7::text))
        ON CONFLICT (bucket_id, name) DO NOTHING RETURNING id
        """
}
