/// What a connection tells of itself. It does not know who listens, nor what others do.
enum ConnectionReport {
    /// Answers have arrived, or it has ended: there may be room.
    case progress
    /// Sending has failed. It dies a moment later and gets nothing more until then.
    case isFailing
    /// What was cancelled before this can no longer be hit, see ``Connection/confirmCancel()``.
    case cancelHasArrived
    /// This call got no result and may be sent again at once.
    case retry(PendingQuery)
    /// As before, but in a moment: what broke the first attempt would break another one now.
    case retrySoon(PendingQuery)
    /// This call waited for a lock for too long. It may be sent again where nothing waits behind it.
    case retryAsSlow(PendingQuery)
    /// A change was refused because the session only reads.
    case isReadOnly
    /// A statement's result has got other types.
    case resultHasChanged
    case died(ConnectionLoss)
}

/// What is lost with a connection.
struct ConnectionLoss {
    /// The calls that have no result.
    let queries: [PendingQuery]
    let reason: String
    /// It was none of these calls that broke it.
    var isByAdministrator = false
    /// They belong to a transaction.
    var wasInTransactionBlock = false
}
