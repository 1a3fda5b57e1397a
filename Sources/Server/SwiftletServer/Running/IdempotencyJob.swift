import SwiftletJobs
import SwiftletWeb

extension IdempotencyPurge {
    static let jobName = "swiftlet-idempotency-purge"

    /// The job that runs it, on one server at a time.
    static var job: Job<NoPayload> {
        Every(.seconds(600), "swiftlet-idempotency-purge") { context in try await run(context) }
            .acrossTenants()
            .limited(to: .seconds(240))
    }
}
