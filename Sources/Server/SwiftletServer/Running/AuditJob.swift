import SwiftletJobs
import SwiftletSignIn
import SwiftletWeb

extension AuditPurge {
    static let jobName = "swiftlet-audit-purge"

    /// The job that runs it, on one server at a time.
    var job: Job<NoPayload> {
        Every(.seconds(3600), "swiftlet-audit-purge") { context in try await self.run(context) }
            .acrossTenants()
            .limited(to: .seconds(600))
    }
}
