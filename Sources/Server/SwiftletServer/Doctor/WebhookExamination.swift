import SwiftletPostgres

/// Names the endpoints that are not told what they asked for.
struct WebhookExamination: Sendable {
    static func findings(_ connection: borrowing BlockingConnection) throws(BlockingConnectionError) -> [Finding] {
        guard try connection.query("SELECT to_regclass('swiftlet.webhooks')").first?[0] != nil else { return [] }
        let rows = try connection.query(
            """
            SELECT w.id, w.url, w.paused_at IS NOT NULL, coalesce(w.pause_reason, 'by hand'),
                to_char(w.failing_since AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI'),
                (SELECT count(*) FROM swiftlet.webhook_deliveries AS d WHERE d.webhook = w.id AND d.state = 'held')
            FROM swiftlet.webhooks AS w ORDER BY w.id
            """
        )
        var findings: [Finding] = []
        for row in rows where row.count == 6 {
            let name = "\(row[0] ?? "?") (\(host(of: row[1] ?? "")))"
            if row[2] == "t" {
                let held = "\(row[5] ?? "0") deliveries are held back"
                let remedy = "swiftlet webhooks resume \(row[0] ?? "")"
                findings.append(.fault("webhooks", "\(name) is paused: \(row[3] ?? ""); \(held): \(remedy)"))
            } else if let since = row[4] {
                let remedy = "see swiftlet webhooks log --webhook \(row[0] ?? "")"
                findings.append(.note("webhooks", "\(name) fails since \(since): \(remedy)"))
            }
        }
        return findings.isEmpty && !rows.isEmpty ? [.good("webhooks", "\(rows.count) active")] : findings
    }

    /// Paths of endpoints are often secrets.
    private static func host(of url: String) -> String {
        guard let scheme = url.firstRange(of: "://") else { return "?" }
        return String(url[scheme.upperBound...].prefix { !"/?#".contains($0) })
    }
}
