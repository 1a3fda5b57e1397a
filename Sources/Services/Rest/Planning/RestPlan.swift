import SwiftletPostgres

/// What a request does to the rows of a relation or a function, decided once: its statement and its response are made
/// of it.
struct RestPlan: Sendable {
    enum Operation: Sendable {
        case read(QualifiedName, RowTotal?)
        case insert(Mutation)
        /// Of one row, by its key.
        case replace(Mutation)
        case update(Mutation)
        case delete(Table)
        case call(Call, isReadOnly: Bool, countsAll: Bool)
    }

    /// The number of rows that a read has beyond those of its page.
    enum RowTotal: Hashable {
        case exact
        /// PostgreSQL's guess alone.
        case planned
        /// The larger of PostgreSQL's guess and what counting up to a limit gives; below the limit that is exact.
        case estimated(upTo: Int)

        var isGuessed: Bool { self != .exact }
    }

    let operation: Operation
    /// Which rows are meant, and what of them is answered.
    let rows: ReadPlan
    var ending: MainStatement.Ending
    /// Whether it may take seconds with some values, and none with others: functions and patterns.
    let mayTakeLong: Bool

    init(_ operation: Operation, _ rows: ReadPlan, _ ending: MainStatement.Ending) {
        self.operation = operation
        var rows = rows
        rows.printsRows = ending.form.printsRows
        self.rows = rows
        self.ending = ending
        if case .call = operation { mayTakeLong = true } else { mayTakeLong = rows.mayTakeLong }
    }

    var form: ResultForm { ending.form }
    var offset: Int { rows.restriction.offset ?? 0 }

    /// PostgreSQL is to refuse changes.
    var isReadOnly: Bool {
        switch operation {
        case .read: true
        case .call(_, let isReadOnly, _): isReadOnly
        case .insert, .replace, .update, .delete: false
        }
    }

    var statement: MainStatement {
        switch operation {
        case .read(let relation, let total): .reading(rows, of: relation, ending, total)
        case .insert(let change), .replace(let change): .insert(change, rows, ending)
        case .update(let change): .update(change, rows, ending)
        case .delete(let relation): .delete(relation, rows, ending)
        case .call(let call, let isReadOnly, let countsAll):
            .call(call, rows, ending, countsAll: countsAll, isReadOnly: isReadOnly)
        }
    }

    /// An `EXPLAIN` whose number of rows is PostgreSQL's guess, where one is asked for.
    var estimate: StatementText? {
        guard case .read(let relation, let total?) = operation, total.isGuessed else { return nil }
        return MainStatement.estimate(rows, of: relation)
    }
}
