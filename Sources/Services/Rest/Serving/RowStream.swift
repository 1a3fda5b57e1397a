import SwiftletHTTP
import SwiftletPostgres

/// The rows of a large answer, read piece by piece while they are sent, as one JSON array.
///
/// Its connection serves nobody else meanwhile. A client that reads nothing is cut off by the server's own time limits, and
/// one that reads slowly by ``timeLimit``.
final class RowStream: Sendable {
    static let cursor = "\"swiftlet_answer\""

    /// What is read at once has about so many bytes, but never more rows than ``maximumRows``: those that follow may be
    /// much wider.
    private static let pieceBytes = 128 << 10
    private static let maximumRows = 512
    /// For the whole of it.
    private static let timeLimit = Duration.seconds(600)

    private let transaction: HeldTransaction
    /// `FETCH` of so many rows.
    private let fetch: @Sendable (Int) -> StatementCall

    init(_ transaction: HeldTransaction, fetch: @escaping @Sendable (Int) -> StatementCall) {
        self.transaction = transaction
        self.fetch = fetch
    }

    /// Throws ``PostgresError``, and what the writer throws: then the client gets no end.
    func write(to writer: ResponseWriter) async throws {
        defer { transaction.end() }
        let started = ContinuousClock.now
        var piece = Array("[".utf8)
        var wanted = 1
        while true {
            guard ContinuousClock.now - started < Self.timeLimit else { throw TooSlow() }
            let (count, bytes) = try await read(wanted, after: piece)
            let isLast = count < wanted
            piece = isLast ? bytes + Array("]".utf8) : bytes
            try await writer.write(piece)
            if isLast { return }
            wanted = Self.next(after: wanted, bytes: bytes.count)
            piece = []
        }
    }

    private struct TooSlow: Error {}

    /// Twice as many, until they are as large as a piece should be.
    private static func next(after rows: Int, bytes: Int) -> Int {
        if bytes >= 2 * pieceBytes { return max(1, rows / 2) }
        return bytes > pieceBytes / 2 ? rows : min(maximumRows, rows * 2)
    }

    /// The separator is that of `json_agg`, so that the same rows are the same bytes whichever way they go.
    private func read(_ wanted: Int, after start: [UInt8]) async throws(PostgresError) -> (count: Int, bytes: [UInt8]) {
        let rows = try await transaction.run([fetch(wanted)])[0].take()
        var bytes = start
        for row in 0..<rows.count {
            if row > 0 || start.isEmpty { bytes += [UInt8(ascii: ","), 0x20, 0x0A, 0x20] }
            unsafe rows.cell(row, 0).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        }
        return (rows.count, bytes)
    }
}
