import Synchronization

/// One shape of SQL text, made once and used for every query of that shape.
///
/// Each connection prepares it the first time it meets it, under a name of its own. A statement that is no longer used
/// anywhere gives its table index back, so that programs which build shapes at run time do not grow without limit.
package final class Statement: Sendable {
    package let text: String
    /// Read-only statements share a batch with others and are retried when their connection breaks; all else is
    /// sent alone and at most once. A statement that calls volatile functions is not read-only.
    package let isReadOnly: Bool
    /// It has had no effect when it fails, and may then be repeated.
    let isAtomic: Bool
    /// It calls functions that may change the session for longer than its transaction.
    let mayLeaveTraces: Bool

    /// `BEGIN`, `COMMIT` or `ROLLBACK`: no change of the schema makes it stale. Deallocating it would fail in a transaction
    /// that has failed, which it is there to end.
    let endsOrBegins: Bool

    /// Never reused in a process.
    let id: UInt32
    /// Index into each connection's table of prepared statements and each pool's table of shapes; reused.
    let tableIndex: Int
    /// Both NUL-terminated and made once: libpq takes C strings, and this is the hot path.
    let cText: ContiguousArray<CChar>
    let cName: ContiguousArray<CChar>

    package init(_ text: String, isReadOnly: Bool) {
        self.text = text
        self.isReadOnly = isReadOnly
        endsOrBegins = ["BEGIN", "COMMIT", "ROLLBACK"].contains(text)
        isAtomic = isReadOnly || SQLClassifier.isAtomic(text)
        mayLeaveTraces = !isReadOnly && SQLClassifier.mayLeaveTraces(text)
        (id, tableIndex) = StatementNumbers.take()
        cText = ContiguousArray(text.utf8CString)
        cName = ContiguousArray(Statement.name(id: id).utf8CString)
    }

    deinit { StatementNumbers.giveBack(tableIndex) }

    /// Differs from process to process: behind a transaction pooler that the configuration does not mention, another
    /// process may have given the same name to another text in the same server session.
    static func name(id: UInt32) -> String { "s\(processMark)_\(id)" }

    private static let processMark = String(UInt32.random(in: 0...UInt32.max), radix: 36)
}

/// Hands out statement ids (never reused) and table indices (reused, so that tables stay as small as the number of
/// live shapes).
private enum StatementNumbers {
    private struct State {
        var lastID: UInt32 = 0
        var indexCount = 0
        var free: [Int] = []
    }

    private static let state = Mutex(State())

    static func take() -> (id: UInt32, tableIndex: Int) {
        state.withLock { state in
            state.lastID &+= 1
            if let index = state.free.popLast() { return (state.lastID, index) }
            state.indexCount += 1
            return (state.lastID, state.indexCount - 1)
        }
    }

    static func giveBack(_ index: Int) {
        state.withLock { $0.free.append(index) }
    }
}
