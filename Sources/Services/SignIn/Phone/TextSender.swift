package import Logging
package import SwiftletOutbound
package import SwiftletPostgres
package import SwiftletWeb
import SwiftletHTTP
import SwiftletJSON

/// Hands the texts that wait in a ``TextQueue`` to the operator's hook, in the words of Supabase's "send SMS" hook:
/// `{"user":{…},"sms":{"otp","phone"}}`. The code is neither logged nor stored.
package final class TextSender: Sendable {
    private let tokens: OneTimeTokens
    private let hooks: Hooks
    private let logger: Logger

    /// `keys` and `settings` are those that ``SignIn`` has. `http` may reach private addresses, as the operator's
    /// service may have one.
    package init(
        _ hook: Hook,
        database: Database,
        keys: SigningKeys,
        settings: SignInSettings,
        http: HTTPEngine,
        logger: Logger,
        clock: ServerClock = .system
    ) {
        let accounts = AccountStore(database)
        tokens = OneTimeTokens(accounts, keys: keys, textSeconds: settings.textCodeSeconds)
        hooks = Hooks([.sendSMS: hook], accounts.database, http, settings.hookLimits, clock: clock)
        self.logger = logger
    }

    /// Sends a text, or leaves it out if its code is of no use any more. The hook may be asked twice if its answer to
    /// the first attempt is lost; over HTTP both have the same `webhook-id`.
    ///
    /// Throws ``OutboundError`` if it was not sent, and what the database throws.
    package func send(_ text: QueuedText) async throws {
        guard let code = try await tokens.open(text), let account = try await tokens.accounts.find(id: text.userID)
        else {
            logger.info("text left out: its code is no longer valid", metadata: ["purpose": "\(text.purpose.type)"])
            return
        }
        let type = text.factorID == nil ? text.purpose.type : "mfa"
        var message: JSONObject = ["otp": .string(code.code), "phone": .string(text.number), "sms_type": .string(type)]
        if let channel = text.channel { message["channel"] = .string(channel.rawValue) }
        let payload: JSONObject = ["user": .object(try account.json()), "sms": .object(message)]
        try await hooks.send(.sendSMS, payload, id: String(code.id.prefix(32)))
        logger.debug("text sent", metadata: ["purpose": "\(text.purpose.type)"])
    }
}
