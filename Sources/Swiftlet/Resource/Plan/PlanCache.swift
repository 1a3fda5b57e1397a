import Synchronization
import Postgres

/// Keeps a resource's plan until the schema changes. One uncontended lock per request, shared by all loops.
final class PlanCache: Sendable {
    private let cached = Mutex<ResourcePlan?>(nil)

    func plan(for resource: Resource, in schema: Schema) -> ResourcePlan {
        cached.withLock { cached in
            if let plan = cached, plan.schema === schema { return plan }
            let plan = ResourcePlan(resource, schema)
            cached = plan
            return plan
        }
    }
}
