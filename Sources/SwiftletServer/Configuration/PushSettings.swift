import Logging
import Outbound
import Web

/// Who delivers push messages, and to whom one may send.
struct PushSettings: Sendable {
    enum Service: Sendable {
        case off, log
        case real(PushServices)
    }

    private enum Word { case off, log, real }

    let service: Service
    /// Whether a message may go to everybody, instead of to those who are linked with its sender.
    let reachesAnybody: Bool
    /// How long after a missed check-in the responders are told.
    let checkInGrace: Duration

    init(_ reader: inout SettingsReader, mode: Configuration.Mode) {
        let word = reader.choice(
            "PUSH",
            default: mode == .development ? Word.log : .off,
            ["off": .off, "log": .log, "real": .real]
        )
        service =
            switch word {
            case .off: .off
            case .log: .log
            case .real: .real(PushServices(&reader))
            }
        reachesAnybody = reader.choice("PUSH_RECIPIENTS", default: false, ["linked": false, "any": true])
        checkInGrace = reader.duration("CHECK_IN_GRACE", default: .seconds(900))
    }

    /// What functions read of it.
    var forFunctions: [String: String] {
        let grace = checkInGrace.components
        let seconds = Double(grace.seconds) + Double(grace.attoseconds) / 1e18
        return ["PUSH_RECIPIENTS": reachesAnybody ? "any" : "linked", "CHECK_IN_GRACE": "\(seconds)"]
    }

    func sender(_ logger: Logger, _ engine: HTTPEngine) -> PushSender? {
        switch service {
        case .off: nil
        case .real(let services): services.sender(engine)
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
