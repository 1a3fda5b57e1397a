/// The tables of the queue.
package enum JobsMigrations {
    package static let texts: [(name: String, sql: [UInt8])] = [("0012_jobs", PackageResources._012_jobs_sql)]
}
