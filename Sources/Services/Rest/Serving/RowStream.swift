import SwiftletHTTP
import SwiftletPostgres

/// The rows of a large answer, read piece by piece while they are sent.
///
/// Its connection serves nobody else meanwhile, so that a client that reads slowly loses it: within ``timeLimit``, and
/// ``chunkTimeLimit`` for each part.
final class RowStream: Sendable {
    static let cursor = "\"swiftlet_answer\""

    /// What is read at once has about so many bytes, but never more rows than ``maximumRows``: those that follow may be
    /// much wider.
    private static let pieceBytes = 128 << 10
    private static let maximumRows = 512
    /// For the whole of it.
    private static let timeLimit = Duration.seconds(600)
    /// For as many bytes as a piece should have.
    private static let chunkTimeLimit = Duration.seconds(30)

    private let transaction: HeldTransaction
    private let form: RowForm
    /// Rows that the cursor has given already.
    private let first: [[UInt8]]
    /// `FETCH` of so many rows.
    private let fetch: @Sendable (Int) -> StatementCall

    init(
        _ transaction: HeldTransaction,
        _ form: RowForm,
        first: [[UInt8]] = [],
        fetch: @escaping @Sendable (Int) -> StatementCall
    ) {
        self.transaction = transaction
        self.form = form
        self.first = first
        self.fetch = fetch
    }

    /// Returns how many bytes it has written. Throws ``PostgresError``, and what the writer throws: then the client gets no
    /// end.
    func write(to writer: ResponseWriter) async throws -> Int {
        defer { transaction.end() }
        let started = ContinuousClock.now
        var piece = Array(form.opening.utf8) + first.joined(separator: form.separator.utf8)
        var wanted = 1
        var written = 0
        var isFirst = first.isEmpty
        while true {
            guard ContinuousClock.now - started < Self.timeLimit else { throw TooSlow() }
            let (count, bytes) = try await read(wanted, after: piece, isFirst: isFirst)
            let isLast = count < wanted
            isFirst = isFirst && count == 0
            piece = isLast ? bytes + Array(form.end.utf8) : bytes
            if isLast { transaction.end() }
            try await write(piece, to: writer, until: started + Self.timeLimit)
            written += piece.count
            if isLast { return written }
            wanted = Self.next(after: wanted, bytes: bytes.count)
            piece = []
        }
    }

    private struct TooSlow: Error {}

    /// Rows that are wider than a piece go in parts, each with its time. Its end takes the connection away even while the
    /// writer waits for the client.
    private func write(
        _ piece: [UInt8],
        to writer: ResponseWriter,
        until end: ContinuousClock.Instant
    ) async throws {
        var start = 0
        while start < piece.count {
            let part = piece[start..<min(piece.count, start + 2 * Self.pieceBytes)]
            start = part.endIndex
            let transaction = transaction
            let limit = min(ContinuousClock.now + Self.chunkTimeLimit, end)
            let watch = Task {
                try await Task.sleep(until: limit, clock: .continuous)
                transaction.end()
            }
            defer { watch.cancel() }
            try await writer.write(Array(part))
        }
    }

    /// Twice as many, until they are as large as a piece should be.
    private static func next(after rows: Int, bytes: Int) -> Int {
        if bytes >= 2 * pieceBytes { return max(1, rows / 2) }
        return bytes > pieceBytes / 2 ? rows : min(maximumRows, rows * 2)
    }

    private func read(
        _ wanted: Int,
        after start: [UInt8],
        isFirst: Bool
    ) async throws(PostgresError) -> (count: Int, bytes: [UInt8]) {
        let rows = try await transaction.run([fetch(wanted)], mayLeaveTraces: false)[0].take()
        var bytes = start
        for row in 0..<rows.count {
            if row > 0 || !isFirst { bytes += form.separator.utf8 }
            unsafe rows.cell(row, 0).withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        }
        return (rows.count, bytes)
    }
}
