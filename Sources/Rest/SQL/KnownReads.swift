import Postgres
import Synchronization

/// A read that is ready to run: the statement with its values, and what its answer needs to know.
struct PreparedRead {
    let call: StatementCall
    let shape: AnswerShape
    let offset: Int
}

/// What is the same for all reads of a shape.
struct KnownRead: Sendable {
    private let statement: Statement
    private let inputs: [Input]
    private let shape: AnswerShape
    private let offset: Int

    private enum Input {
        /// One of the values that the shape lacks.
        case value(Int)
        case constant([UInt8]?)
    }

    /// Of a read that was planned with marks for `count` values; nil if not all of them have become parameters.
    init?(_ read: PreparedRead, count: Int) {
        statement = read.call.statement
        shape = read.shape
        offset = read.offset
        let marks = (0..<count).map { Array(QueryShape.mark($0).utf8) }
        inputs = read.call.parameters.values.map { value in
            marks.firstIndex { $0 == value }.map { .value($0) } ?? .constant(value)
        }
        let found = inputs.compactMap { if case .value(let index) = $0 { index } else { nil } }
        guard Set(found).count == count else { return nil }
    }

    /// What it costs to keep, as the statement is kept with it.
    var weight: Int { statement.weight }

    func with(_ values: [String]) -> PreparedRead {
        var parameters = Parameters()
        for input in inputs {
            switch input {
            case .value(let index): parameters.append(values[index])
            case .constant(let bytes?): parameters.append(utf8: bytes.span)
            case .constant(nil): parameters.appendNull()
            }
        }
        return PreparedRead(call: StatementCall(statement, parameters), shape: shape, offset: offset)
    }
}

/// Reads whose plans are known, as many as were used lately. A new catalogue makes them unknown.
final class KnownReads: Sendable {
    struct Key: Hashable {
        let relation: QualifiedName
        let role: String
        let query: [UInt8]
        let shape: AnswerShape
        let stripsNulls: Bool
        let countsAll: Bool
    }

    private struct State {
        var catalogue: Catalogue?
        var reads = RecentlyUsed<Key, KnownRead>(limit: 512)
    }

    private let state = Mutex(State())

    func find(_ key: Key, in catalogue: Catalogue) -> KnownRead? {
        state.withLock { $0.catalogue === catalogue ? $0.reads.use(key) : nil }
    }

    func add(_ read: KnownRead, _ key: Key, in catalogue: Catalogue) {
        state.withLock { state in
            if state.catalogue !== catalogue { state = State(catalogue: catalogue) }
            state.reads.add(read, key, weight: read.weight)
        }
    }
}
