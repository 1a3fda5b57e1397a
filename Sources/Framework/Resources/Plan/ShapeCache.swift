import SwiftletPostgres
import Synchronization
import SwiftletWeb

/// Statements by shape, each built once per schema version and prepared once per connection.
///
/// Clients choose the shapes (by filters, sort keys, bodies), so two generations bound it: when the young one is full
/// it replaces the old one, and statements of the old one that were not used since are dropped.
final class ShapeCache: Sendable {
    private static let limit = 128

    private struct Generations {
        var young: [StatementKey: Statement] = [:]
        var old: [StatementKey: Statement] = [:]
    }

    private let generations = Mutex(Generations())

    func statement(_ shape: StatementKey, _ text: () -> String) -> Statement {
        generations.withLock { generations in
            if let statement = generations.young[shape] { return statement }
            let statement = generations.old[shape] ?? Statement(text(), isReadOnly: shape.verb.isReadOnly)
            if generations.young.count >= Self.limit {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[shape.withoutValues] = statement
            return statement
        }
    }
}
