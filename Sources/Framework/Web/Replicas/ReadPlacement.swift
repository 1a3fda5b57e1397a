import SwiftletPostgres
import Synchronization

/// Where one request reads, and what its caller has to carry from now on.
final class ReadPlacement: Sendable {
    private let replicas: ReplicaReads
    /// What the caller has seen or written; nil if that is unknown, as in an app that has just been started, or was
    /// never ours.
    private let position: WritePosition?
    private let isRead: Bool
    private let readsPrimary: Bool
    private let hasWritten = Atomic<Bool>(false)
    private let isHandled = Atomic<Bool>(false)

    /// What it is called when nobody knows it: the next request reads from the primary and gets to know it.
    private static let unknown = "new"

    init(_ replicas: ReplicaReads, _ position: WritePosition?, isRead: Bool, readsPrimary: Bool) {
        self.replicas = replicas
        self.position = position
        self.isRead = isRead
        self.readsPrimary = readsPrimary
    }

    /// From now on the request reads what it writes.
    func noteWrite() { hasWritten.store(true, ordering: .relaxed) }

    /// From now on the request may change something: none that is refused before has to be told where the database is.
    func noteHandler() { isHandled.store(true, ordering: .relaxed) }

    /// nil where the primary has to be asked.
    func read(
        _ calls: [StatementCall],
        isIsolated: Bool,
        guest: Guest?
    ) async throws(PostgresError) -> [RowsBox]? {
        guard isRead, !readsPrimary, let position, !hasWritten.load(ordering: .relaxed) else { return nil }
        return try await replicas.set.read(
            at: position,
            calls,
            isIsolated: isIsolated,
            guest: guest,
            whenItWrites: noteWrite
        )
    }

    /// Tells the caller where the database is after the request, if it may have changed anything, or did not know.
    func tell(in response: inout Response) async {
        guard isHandled.load(ordering: .relaxed) else { return }
        guard !isRead || position == nil || hasWritten.load(ordering: .relaxed) else { return }
        let now = try? await replicas.set.position()
        response.list([now.flatMap { replicas.tokens.text(of: $0) } ?? Self.unknown], in: .xSwiftletPosition)
    }
}
