/// What becomes of a refresh token that somebody shows: the rules, without a database.
///
/// Answers get lost, phones go to sleep with one in flight, and networks repeat requests. So a used token is no theft by
/// itself: as long as its child is unused, its owner may just not have got it, however long ago that was. Only who is two
/// generations back, and not within a moment, has an old copy.
enum RefreshDecision: Hashable, Sendable {
    /// The token is used up, and a new one takes its place.
    case advance
    /// The current one is handed out again.
    case repeatCurrent(String)
    /// Somebody has a copy: the session ends where that is the rule.
    case stolen

    /// For tokens with a row. `child` is the unused token that came from this one, `current` the session's newest unused
    /// one.
    ///
    /// Within the interval the current token is handed out, where GoTrue makes another one beside it: so a session has
    /// one chain of tokens only, in which every copy shows sooner or later, and one that has ended stays so.
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

    /// For tokens that count. `current` makes the session's current one.
    init(
        counter: Int,
        sessionCounter: Int,
        secondsSinceUse: Double,
        reuseInterval: Int,
        current: () throws -> String
    ) rethrows {
        switch sessionCounter - counter {
        case ...0: self = .advance
        case 1: self = .repeatCurrent(try current())
        case _ where secondsSinceUse <= Double(reuseInterval): self = .repeatCurrent(try current())
        default: self = .stolen
        }
    }
}
