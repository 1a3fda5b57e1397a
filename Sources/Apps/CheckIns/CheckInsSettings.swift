import Swiftlet

/// How long after a missed check-in the responders are told.
enum CheckInGrace: ContextKey {
    static let defaultValue = Duration.seconds(900)
}

/// To whom one may send messages.
enum PushRecipients: ContextKey {
    enum Reach: Sendable {
        /// Oneself, the own tenant, accepted responders.
        case linked
        case any
    }

    static let defaultValue = Reach.linked
}

let checkInsSettings = [
    Setting(duration: "CHECK_IN_GRACE", CheckInGrace.self),
    Setting("PUSH_RECIPIENTS", PushRecipients.self, ["linked": .linked, "any": .any]),
]
