/// The tables of the queue.
package enum JobsMigrations {
    package static let texts: [(name: String, sql: [UInt8])] = [("0020_jobs", PackageResources._020_jobs_sql)]
}
