import SwiftletBlockingPool
import SwiftletEmbeddedPostgres
import SwiftletEssentials
import SwiftletFiles
import SwiftletPostgres

/// Restores the rows of a backup into a private server that is thrown away afterwards, and looks for each row's file.
package struct TrialRestoration: Sendable {
    private let target: BackupTarget

    package init(_ target: BackupTarget) { self.target = target }

    /// Throws ``BackupError``, and `EmbeddedPostgresError` where no server is installed.
    package func run(_ id: SnapshotID) async throws {
        let threads = BlockingPool("trial", width: 4)
        let reader = SnapshotReader(target, id)
        let (manifest, files) = (try await reader.manifest(), try await reader.files())
        let folder = "\(FileManager.default.temporaryDirectory.path)/swiftlet-verify-\(UUID().uuidString.prefix(8))"
        let cluster = try await threads.finish { try PostgresCluster.start(in: folder, lifetime: .throwAway) }
        do {
            try await run(manifest, files, reader, cluster, threads)
        } catch {
            _ = try? await threads.finish { cluster.stop() }
            throw error
        }
        try await threads.finish { cluster.stop() }
    }

    private func run(
        _ manifest: Manifest,
        _ files: [FileEntry],
        _ reader: SnapshotReader,
        _ cluster: PostgresCluster,
        _ threads: BlockingPool
    ) async throws {
        let administrator = try await DatabaseSession.open(cluster.url(), threads)
        try await administrator.run { try $0.execute("CREATE DATABASE restored TEMPLATE template0") }
        let url = cluster.url(database: "restored")
        try await DatabaseRestoration(url: url, threads: threads).run(reader)
        let snapshot = try await DatabaseSnapshot.begin(url, threads)
        guard snapshot.facts.tables == manifest.tables, snapshot.facts.objects == manifest.objects else {
            throw BackupError.damaged(
                """
                \(snapshot.facts.tables) tables and \(snapshot.facts.objects) objects came back of \(manifest.tables) \
                and \(manifest.objects)
                """
            )
        }
        let known = Set(files.compactMap { $0.sha256 == nil ? nil : $0.place })
        let lost = try await snapshot.files().filter { entry in entry.place.map { !known.contains($0) } ?? true }
        await snapshot.end()
        guard lost.count <= manifest.missing else {
            throw BackupError.damaged("\(lost.count) rows have no file in it, such as \(lost.first?.place ?? "")")
        }
    }
}
