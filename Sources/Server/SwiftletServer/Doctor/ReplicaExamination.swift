import SwiftletPostgres

/// Checks that each replica is a standby of the primary, and that reads may go there.
struct ReplicaExamination: Sendable {
    private let primary: String
    private let replicas: [String]
    private let lag: Duration

    init(_ primary: String, _ settings: DatabaseSettings?) {
        self.primary = primary
        replicas = settings?.replicas ?? []
        lag = settings?.replicaLag ?? .zero
    }

    func findings() -> [Finding] {
        replicas.enumerated().map { finding($1, "replica \($0 + 1)") }
    }

    private static let database = "(SELECT oid FROM pg_database WHERE datname = current_database())"

    private func finding(_ url: String, _ subject: String) -> Finding {
        let summary = ConnectionInfo(url)?.summary ?? "?"
        do {
            let replica = try BlockingConnection.connect(to: url)
            let row =
                try replica.query(
                    """
                    SELECT pg_is_in_recovery(), (SELECT system_identifier FROM pg_control_system()),
                        pg_last_wal_replay_lsn(), pg_is_wal_replay_paused(), current_setting('hot_standby_feedback'),
                        \(Self.database), current_user
                    FROM (SELECT 1 WHERE pg_is_in_recovery()) AS only_standby
                    """
                ).first
            guard let row, row.count == 7 else {
                return .fault(subject, "\(summary) is no standby: it takes no reads until it follows the primary again")
            }
            let connection = try BlockingConnection.connect(to: primary)
            let mine = try connection.query(
                "SELECT system_identifier, \(Self.database), current_user FROM pg_control_system()"
            )[0]
            guard mine[0] == row[1] else {
                return .fault(subject, "\(summary) is a standby of another database cluster than DATABASE_URL's")
            }
            guard mine[1] == row[5] else {
                return .fault(subject, "\(summary) is another database than DATABASE_URL's, and takes no reads")
            }
            if row[3] == "t" {
                return .note(subject, "\(summary) has its replay paused: SELECT pg_wal_replay_resume()")
            }
            if row[4] != "on" {
                let text = "\(summary) follows; hot_standby_feedback=on would keep long reads from being cancelled"
                return .note(subject, text)
            }
            if mine[2] != row[6] {
                let names = "\(row[6] ?? "") and not as \(mine[2] ?? "")"
                return .note(subject, "\(summary) is read as \(names): what that role may not read goes to the primary")
            }
            return .good(subject, "\(summary) follows, and takes reads while it is at most \(lag) behind")
        } catch {
            return .fault(subject, "\(summary): \(error): reads go to the primary until it answers")
        }
    }
}
