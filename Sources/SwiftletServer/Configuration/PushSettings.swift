import Logging
import Web

/// Who delivers push messages, and to whom one may send.
struct PushSettings: Sendable {
    enum Service: Sendable { case off, log }

    let service: Service
    /// Whether a message may go to everybody, instead of to those who are linked with its sender.
    let reachesAnybody: Bool
    /// How long after a missed check-in the responders are told.
    let checkInGrace: Duration

    init(_ reader: inout SettingsReader, mode: Configuration.Mode) {
        service = reader.choice("PUSH", default: mode == .development ? .log : .off, ["off": .off, "log": .log])
        reachesAnybody = reader.choice("PUSH_RECIPIENTS", default: false, ["linked": false, "any": true])
        checkInGrace = reader.duration("CHECK_IN_GRACE", default: .seconds(900))
    }

    /// What functions read of it.
    var forFunctions: [String: String] {
        let grace = checkInGrace.components
        let seconds = Double(grace.seconds) + Double(grace.attoseconds) / 1e18
        return ["PUSH_RECIPIENTS": reachesAnybody ? "any" : "linked", "CHECK_IN_GRACE": "\(seconds)"]
    }

    func sender(_ logger: Logger) -> PushSender? {
        switch service {
        case .off: nil
        case .log:
            PushSender { message, target in
                logger.notice(
                    "push",
                    metadata: [
                        "message_id": "\(message.id)", "platform": "\(target.platform)", "title": "\(message.title)",
                        "body": "\(message.body)",
                    ]
                )
                return .accepted
            }
        }
    }
}
