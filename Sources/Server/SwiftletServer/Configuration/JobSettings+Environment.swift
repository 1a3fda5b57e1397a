import SwiftletJobs

extension JobSettings {
    init(_ reader: inout SettingsReader) {
        self.init()
        concurrency = reader.integer("JOB_CONCURRENCY", default: concurrency, in: 0...1000)
        lease = reader.duration("JOB_LEASE", default: lease)
    }
}
