/// The tables of the queue.
package enum JobsMigrations {
    package static let owner = "swiftlet.jobs"

    package static let texts: [(name: String, sql: [UInt8])] = [("0017_jobs", PackageResources._017_jobs_sql)]
}
