import SwiftletJobs
import SwiftletWeb

/// Puts the rows into the index of searches that were there before a table was searched.
enum SearchFill {
    static let jobName = "swiftlet-search-fill"
    /// Of one statement, which locks them.
    private static let batchRows = 2_000

    /// The job that runs it, on one server at a time.
    static var job: Job<NoPayload> {
        Every(.seconds(60), "swiftlet-search-fill") { context in try await run(context) }
            .acrossTenants()
            .limited(to: .seconds(600))
    }

    static func run(_ context: Context) async throws {
        while true {
            let rows = try await context.databaseAcrossTenants.query(
                "SELECT swiftlet.fill_search(\(batchRows)) AS goes_on"
            )
            guard try rows.first?.decode(Bool.self, "goes_on") == true else { return }
        }
    }
}
