import SwiftletPostgres

/// Gives each change of the stream its position and its relation. Holds no connection.
struct TransactionAssembler {
    struct Change {
        let commit: LogSequenceNumber
        let index: Int
        let transaction: UInt32
        let committedAt: Int64
        let relation: ReplicatedRelation
        let operation: LoggedChange.Operation
        let new: RowImage?
        let old: OldRow?
    }

    enum Output {
        case changes([Change])
        /// All of a transaction has come; once its changes are kept, the stream may be confirmed up to here.
        case end(LogSequenceNumber)
    }

    private struct Transaction {
        let commit: LogSequenceNumber
        let committedAt: Int64
        let id: UInt32
        /// From 1, so that the position of a commit itself lies before its changes.
        var nextIndex = 1
    }

    private var relations: [UInt32: ReplicatedRelation] = [:]
    private var transaction: Transaction?

    /// Throws for a change outside a transaction, or of a relation that was not described.
    mutating func add(_ message: LogicalMessage) throws(ReplicationMessageError) -> Output? {
        switch message {
        case .begin(let commit, let committedAt, let id):
            transaction = Transaction(commit: commit, committedAt: committedAt, id: id)
        case .commit(_, let end, _):
            transaction = nil
            return .end(end)
        case .relation(let relation): relations[relation.id] = relation
        case .insert(let relation, let new): return .changes([try change(.insert, relation, new, nil)])
        case .update(let relation, let old, let new): return .changes([try change(.update, relation, new, old)])
        case .delete(let relation, let old): return .changes([try change(.delete, relation, nil, old)])
        case .truncate(let relations):
            var changes: [Change] = []
            for relation in relations { changes.append(try change(.truncate, relation, nil, nil)) }
            return .changes(changes)
        case .origin, .type, .message: break
        }
        return nil
    }

    private mutating func change(
        _ operation: LoggedChange.Operation,
        _ relation: UInt32,
        _ new: RowImage?,
        _ old: OldRow?
    ) throws(ReplicationMessageError) -> Change {
        guard let current = transaction, let relation = relations[relation] else { throw .invalid }
        transaction?.nextIndex += 1
        return Change(
            commit: current.commit,
            index: current.nextIndex,
            transaction: current.id,
            committedAt: current.committedAt,
            relation: relation,
            operation: operation,
            new: new,
            old: old
        )
    }
}
