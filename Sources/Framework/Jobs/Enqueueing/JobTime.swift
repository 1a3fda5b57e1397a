public import SwiftletPostgres

/// When a job is due, by the database's clock.
public struct JobTime: Sendable {
    let due: SQL

    public static let now = JobTime(due: "clock_timestamp()")

    public static func after(_ delay: Duration) -> JobTime {
        let (seconds, attoseconds) = delay.components
        let total = Double(seconds) + Double(attoseconds) / 1e18
        return JobTime(due: "clock_timestamp() + \(total)::double precision * interval '1 second'")
    }

    /// A time as PostgreSQL or ISO 8601 writes it; one without zone is in UTC. PostgreSQL refuses what is none.
    public static func at(_ time: String) -> JobTime {
        JobTime(due: "(\(time)::timestamptz)")
    }

    /// The time that an expression of PostgreSQL gives, such as a column of the statement before.
    public static func sql(_ expression: SQL) -> JobTime { JobTime(due: "(\(expression))") }
}

/// Which of the jobs that are due comes first.
public enum JobPriority: Int, Sendable {
    case low, normal, high
}
