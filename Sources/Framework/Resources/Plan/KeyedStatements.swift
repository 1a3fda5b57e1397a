import SwiftletPostgres
import Synchronization
import SwiftletWeb

/// Statements by key, each built once per schema version and prepared once per connection.
///
/// Clients choose the keys (by filters, sort keys, bodies), so two generations bound it: when the young one is full
/// it replaces the old one, and statements of the old one that were not used since are dropped.
final class KeyedStatements: Sendable {
    private static let limit = 128

    private struct Generations {
        var young: [StatementKey: Statement] = [:]
        var old: [StatementKey: Statement] = [:]
    }

    private let generations = Mutex(Generations())

    func statement(_ key: StatementKey, _ text: () -> String) -> Statement {
        generations.withLock { generations in
            if let statement = generations.young[key] { return statement }
            let statement = generations.old[key] ?? Statement(text(), isReadOnly: key.verb.isReadOnly)
            if generations.young.count >= Self.limit {
                generations.old = generations.young
                generations.young = [:]
            }
            generations.young[key.withoutValues] = statement
            return statement
        }
    }
}
