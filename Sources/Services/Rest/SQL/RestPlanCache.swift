import SwiftletPostgres
import SwiftletWeb
import Synchronization

/// A read that is ready to run: the statement with its values, and what its response is made of.
struct PreparedRead {
    let call: StatementCall
    let plan: RestPlan
}

/// What is the same for all reads of a form.
struct CachedRestPlan: Sendable {
    private let statement: Statement
    private let inputs: [Input]
    private let plan: RestPlan

    private enum Input {
        /// One of the values that the key lacks.
        case value(Int)
        case constant([UInt8]?)
    }

    /// Of a read that was planned with marks for `count` values; nil if not all of them have become parameters.
    init?(_ read: PreparedRead, count: Int) {
        statement = read.call.statement
        plan = read.plan
        let marks = (0..<count).map { Array(QueryKey.mark($0).utf8) }
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
        return PreparedRead(call: StatementCall(statement, parameters), plan: plan)
    }
}

/// Reads whose plans are known, as many as were used lately. A new catalog makes them unknown.
final class RestPlanCache: Sendable {
    struct Key: Hashable {
        let relation: QualifiedName
        let role: String
        let query: [UInt8]
        let form: ResultForm
        let stripsNulls: Bool
        let countsAll: Bool
    }

    private struct State {
        var catalog: RestCatalog?
        var reads = RecentlyUsed<Key, CachedRestPlan>(limit: 512)
    }

    private let state = Mutex(State())

    func find(_ key: Key, in catalog: RestCatalog) -> CachedRestPlan? {
        state.withLock { $0.catalog === catalog ? $0.reads.use(key) : nil }
    }

    func add(_ read: CachedRestPlan, _ key: Key, in catalog: RestCatalog) {
        state.withLock { state in
            if state.catalog !== catalog { state = State(catalog: catalog) }
            state.reads.add(read, key, weight: read.weight)
        }
    }
}
