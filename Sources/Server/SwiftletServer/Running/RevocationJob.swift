import SwiftletJobs
import SwiftletSignIn
import SwiftletWeb

extension ProviderGrants {
    static let jobName = "swiftlet-provider-revocation"

    /// The job that revokes, on one server at a time. A hundred calls that all hang fit into its time.
    var job: Job<NoPayload> {
        Every(.seconds(600), "swiftlet-provider-revocation") { context in try await self.revoke(context) }
            .acrossTenants()
            .limited(to: .seconds(1800))
    }
}
