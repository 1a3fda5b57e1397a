/// Decides what happens when a refresh token is used. Pure rules, without a database.
///
/// Responses get lost, and clients repeat requests, so using a token again is not necessarily theft: as long as its
/// successor is unused, the client may never have received it, however long ago that was. A token that is two
/// generations old and outside of the reuse interval is an old copy.
enum RefreshDecision: Hashable, Sendable {
    /// The token is replaced by a new one.
    case advance
    /// The current token is returned again.
    case repeatCurrent(String)
    /// Somebody has an old copy: the session ends, if so configured.
    case stolen

    /// For tokens with a row. `child` is the unused successor of this token, `current` the session's newest unused one.
    ///
    /// Within the reuse interval the current token is returned, where GoTrue would create another one. So a session has
    /// a single chain of tokens, in which every stolen copy is detected sooner or later.
    init(isUsed: Bool, child: String?, current: String?, secondsSinceUse: Double, reuseInterval: Int) {
        if !isUsed {
            self = .advance
        } else if let child {
            self = .repeatCurrent(child)
        } else if let current, secondsSinceUse <= Double(reuseInterval) {
            self = .repeatCurrent(current)
        } else {
            self = .stolen
        }
    }

    /// For tokens with a counter. `current` is the session's current one.
    init(counter: Int, sessionCounter: Int, current: String, secondsSinceUse: Double, reuseInterval: Int) {
        switch sessionCounter - counter {
        case ...0: self = .advance
        case 1: self = .repeatCurrent(current)
        case _ where secondsSinceUse <= Double(reuseInterval): self = .repeatCurrent(current)
        default: self = .stolen
        }
    }
}
