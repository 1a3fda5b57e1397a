import Logging

/// How one attempt of a job has ended.
enum JobOutcome: Sendable {
    case done
    /// It has completed in its own transaction.
    case settled
    case retry(after: Duration, String)
    case failed(String)
    /// The server stops: somebody else begins anew.
    case returned
    /// It was taken over or cancelled.
    case lost

    /// After an error: another attempt, unless there were enough or the error says that it is useless.
    init(_ error: any Error, of job: ClaimedJob, _ policy: RetryPolicy, jitter: Double) {
        if let error = error as? JobError, error == .leaseLost {
            self = .lost
            return
        }
        let text = Self.text(of: error)
        if !(error is JobFailure), let pause = policy.pause(afterAttempt: job.attempt, jitter: jitter) {
            self = .retry(after: pause, text)
        } else {
            self = .failed(text)
        }
    }

    /// For the log and metrics.
    var word: String {
        switch self {
        case .done, .settled: "done"
        case .retry: "retry"
        case .failed: "failed"
        case .returned: "returned"
        case .lost: "lost"
        }
    }

    /// Of its line in the log. Of the server's own upkeep, only what went wrong is worth one, or right again.
    func level(isUpkeep: Bool, attempt: Int) -> Logger.Level {
        switch self {
        case .failed: .error
        case .done, .settled, .returned: isUpkeep && attempt <= 1 ? .debug : .info
        case .retry, .lost: .info
        }
    }

    var error: String? {
        switch self {
        case .retry(_, let text), .failed(let text): text
        case .done, .settled, .returned, .lost: nil
        }
    }

    private static let maximumErrorCharacters = 500

    /// PostgreSQL's text has no NUL.
    private static func text(of error: any Error) -> String {
        String("\(error)".replacing("\0", with: "").prefix(maximumErrorCharacters))
    }
}
