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
    /// It is gone, and these calls with it. `byAdministrator` means that it was none of them that broke it.
    case died(lost: [PendingQuery], reason: String, byAdministrator: Bool)
}
