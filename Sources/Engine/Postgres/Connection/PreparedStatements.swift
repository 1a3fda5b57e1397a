/// What one connection has prepared, by the statement's table index.
struct PreparedStatements {
    private struct Record {
        /// 0 when nothing is prepared.
        var id: UInt32 = 0
        var generation: UInt32 = 0
    }

    private var records: [Record] = []
    /// Names that are used again after they were deallocated. That may have failed, with the transaction it was in.
    private var reused: Set<UInt32> = []

    enum State: Equatable {
        case ready
        case missing
        /// Another statement of this index, or one from before a change of schema, has to be deallocated first.
        case stale(id: UInt32)
    }

    func state(of statement: Statement, generation: UInt32) -> State {
        guard statement.tableIndex < records.count else { return .missing }
        let record = records[statement.tableIndex]
        if record.id == 0 { return .missing }
        let isCurrent = record.generation == generation || statement.endsOrBegins
        return record.id == statement.id && isCurrent ? .ready : .stale(id: record.id)
    }

    mutating func note(_ statement: Statement, generation: UInt32) {
        while records.count <= statement.tableIndex { records.append(Record()) }
        records[statement.tableIndex] = Record(id: statement.id, generation: generation)
    }

    func isReused(_ statement: Statement?) -> Bool { statement.map { reused.contains($0.id) } ?? false }

    /// The old statement of this index is being deallocated.
    mutating func clear(_ statement: Statement) {
        if records[statement.tableIndex].id == statement.id { reused.insert(statement.id) }
        records[statement.tableIndex] = Record()
    }

    /// Preparing failed, or the server does not know the name any more.
    mutating func forget(_ statement: Statement) {
        guard statement.tableIndex < records.count, records[statement.tableIndex].id == statement.id else { return }
        records[statement.tableIndex] = Record()
    }

    /// The server's copy is unusable and has to be deallocated before the next use.
    mutating func outdate(_ statement: Statement) {
        guard statement.tableIndex < records.count, records[statement.tableIndex].id == statement.id else { return }
        records[statement.tableIndex].generation = .max
    }

    /// Corrects the record after the statement at the head has failed; true when the error was about that record.
    mutating func correct(
        _ head: PipelineRing.Entry,
        _ error: PostgresError,
        generation: UInt32,
        inFlight ring: PipelineRing
    ) -> Bool {
        guard let statement = head.statement else { return false }
        switch (head.kind, error.state) {
        case (.prepare, .duplicatePreparedStatement):
            // Names are never reused, so it is the same text.
            note(statement, generation: generation)
            return true
        case (.prepare, _):
            forget(statement)
            return false
        // A user's function may report it as well.
        case (.execute, .invalidStatementName) where error.routine == nil || error.routine == "FetchPreparedStatement":
            if !ring.isPreparing(statement) { forget(statement) }
            return true
        case (.execute, .featureNotSupported) where error.isResultChanged:
            outdate(statement)
            return true
        case (.execute, .datatypeMismatch), (.execute, .undefinedFunction):
            // The columns may have got other types, and the parameters keep those that were found at first. Not for
            // the same text to be tried again: whoever wrote it must see the new types first.
            if !error.isWithinFunction { outdate(statement) }
            return false
        default:
            return false
        }
    }
}

/// What the connections of one loop know together about statements. Belongs to the loop's thread.
final class PreparedNames {
    /// How long each takes.
    var history = StatementHistory()
    /// Statements prepared under an older generation are prepared again at their next use.
    private(set) var generation: UInt32 = 0

    func forgetPrepared() { generation &+= 1 }
}
