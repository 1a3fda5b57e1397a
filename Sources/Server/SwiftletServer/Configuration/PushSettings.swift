import Logging
import SwiftletOutbound
import SwiftletWeb

/// Who delivers push messages.
struct PushSettings: Sendable {
    enum Service: Sendable {
        case off, log
        case real(PushServices)
    }

    private enum Word { case off, log, real }

    let service: Service

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
