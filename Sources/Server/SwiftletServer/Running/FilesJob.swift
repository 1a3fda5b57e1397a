import SwiftletFiles
import SwiftletJobs
import SwiftletStorage
import SwiftletWeb

extension FilePurge {
    static let jobName = "swiftlet-storage-purge"

    /// The job that runs it, on one server at a time.
    var job: Job<NoPayload> {
        Every(.seconds(300), "swiftlet-storage-purge") { context in try await run(context) }
            .acrossTenants()
            .limited(to: .seconds(240))
    }
}
