import Logging
import SwiftletOutbound
import SwiftletPush
import Synchronization

/// Who delivers push messages, for all parts of the server: SIGHUP replaces the service account.
final class PushSource: Sendable {
    private let settings: PushSettings
    private let logger: Logger
    private let engine: HTTPEngine
    private let current: Mutex<PushSender?>

    init(_ settings: PushSettings, _ logger: Logger, _ engine: HTTPEngine) {
        self.settings = settings
        self.logger = logger
        self.engine = engine
        current = Mutex(settings.sender(logger, engine))
    }

    /// Nil for nobody. Whoever has it delivers by the newest account.
    var sender: PushSender? {
        guard let first = current.withLock(\.self) else { return nil }
        return PushSender { [self] message, target in
            await (current.withLock(\.self) ?? first).send(message, to: target)
        }
    }

    /// Reads the service account's file again, and says which keys are not. Blocks. Throws if it cannot be used: the
    /// old one stays.
    func reload() throws {
        guard case .real(let services) = settings.service else { return }
        if services.apns != nil {
            logger.info("keys in settings stay until the restart", metadata: ["settings": "APNS_KEY_FILE, APNS_KEY_ID"])
        }
        guard let renewed = try services.rereadingAccount() else { return }
        let sender = renewed.sender(engine)
        current.withLock { $0 = sender }
        logger.debug("push account loaded")
    }
}
