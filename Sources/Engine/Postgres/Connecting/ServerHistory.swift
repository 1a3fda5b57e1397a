/// Of which database a primary is a copy, and how often one of these was promoted.
struct ServerHistory: Hashable, Sendable {
    /// What PostgreSQL has made up with the cluster; its standbys have the same.
    let cluster: String
    let timeline: UInt32

    /// Whether `other` was promoted after this one.
    func precedes(_ other: ServerHistory) -> Bool { cluster == other.cluster && timeline < other.timeline }
}

extension ServerHistory {
    /// One row, `history`: empty of a standby.
    static let query = """
        SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE (SELECT system_identifier FROM pg_control_system()) || ' '
            || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END AS history
        """

    static let cQuery = ContiguousArray(query.utf8CString)

    /// nil for what is no primary's answer.
    init?(_ answer: String) {
        let parts = answer.split(separator: " ")
        guard parts.count == 2, let timeline = UInt32(parts[1], radix: 16) else { return nil }
        self.init(cluster: String(parts[0]), timeline: timeline)
    }
}
