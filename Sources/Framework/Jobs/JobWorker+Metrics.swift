import SwiftletPostgres

extension JobWorker {
    /// Whether any function declares one.
    package var hasJobs: Bool { !registry.isEmpty }

    /// Prometheus text format 0.0.4. The state of the queue is read from the database, and left out if it is down.
    package func metricsText() async -> String {
        var text = ""
        if let rows = try? await queue.database.query(JobStatements.census, .none) { text += Self.gauges(rows) }
        guard !registry.isEmpty else { return text }
        let counts = metrics.snapshot
        text += Self.head("jobs_total", "counter", "Attempts of this server by how they have ended.")
        for (name, count) in counts {
            for (word, number) in count.outcomes.sorted(by: { $0.key < $1.key }) {
                text += "swiftlet_jobs_total{job=\"\(name)\",outcome=\"\(word)\"} \(number)\n"
            }
        }
        text += Self.head("job_duration_seconds_sum", "counter", "Time that this server's attempts have taken.")
        for (name, count) in counts {
            text += "swiftlet_job_duration_seconds_sum{job=\"\(name)\"} \(Double(count.nanoseconds) / 1e9)\n"
        }
        return text
    }

    private static func gauges(_ rows: borrowing Rows) -> String {
        let series = [
            ("jobs_waiting", "Jobs that wait, also those that are not due yet."), ("jobs_running", "Jobs that run."),
            ("jobs_oldest_due_seconds", "How long ago the oldest waiting job was due."),
        ]
        var text = ""
        for (column, (name, help)) in series.enumerated() {
            text += head(name, "gauge", help)
            for row in 0..<rows.count {
                text += "swiftlet_\(name){job=\"\(rows.text(row, 0) ?? "")\"} \(rows.text(row, column + 1) ?? "0")\n"
            }
        }
        return text
    }

    private static func head(_ name: String, _ type: String, _ help: String) -> String {
        "# HELP swiftlet_\(name) \(help)\n# TYPE swiftlet_\(name) \(type)\n"
    }
}
