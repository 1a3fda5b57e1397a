import SwiftletPostgres
import Synchronization
import SwiftletWeb

/// Keeps a resource's plan until the schema changes.
///
/// All loops share its lock, which is held for a comparison of pointers. A list, get, create or deletion takes it once,
/// an update twice; so does each check of a parent, or of why a row was not found, once more.
final class PlanCache: Sendable {
    private let cached = Mutex<ResourcePlan?>(nil)

    func plan(in schema: Schema, _ make: (Schema) -> ResourcePlan) -> ResourcePlan {
        cached.withLock { cached in
            if let plan = cached, plan.schema === schema { return plan }
            let plan = make(schema)
            cached = plan
            return plan
        }
    }
}
