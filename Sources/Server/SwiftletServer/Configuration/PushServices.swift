import SwiftletAuth
import SwiftletEssentials
import SwiftletOutbound
import SwiftletPush
import SwiftletWeb

/// The accounts at Apple and Google that messages are sent with.
struct PushServices: Sendable {
    let apns: APNsClient.Settings?
    private(set) var account: ServiceAccount?
    private let accountFile: String?
    private let fcmURL: String?

    init(_ reader: inout SettingsReader) {
        apns = Self.apns(&reader)
        accountFile = reader.text("FCM_SERVICE_ACCOUNT_FILE")
        account = accountFile.flatMap { Self.account($0, &reader) }
        fcmURL = Self.address("FCM_URL", &reader)
        if apns == nil, account == nil, reader.text("APNS_KEY_FILE") == nil,
            reader.text("FCM_SERVICE_ACCOUNT_FILE") == nil
        {
            reader.refuse("PUSH is real but nobody is configured: set APNS_KEY_FILE or FCM_SERVICE_ACCOUNT_FILE")
        }
    }

    func sender(_ engine: HTTPEngine) -> PushSender {
        let clock: @Sendable () -> Int = { ServerClock.system.milliseconds() / 1000 }
        let gateway = PushGateway(
            apns: apns.map { APNsClient($0, engine, clock: clock) },
            fcm: account.map { FCMClient($0, url: fcmURL, engine, clock: clock) }
        )
        return PushSender { message, target in
            let notification = PushNotification(
                id: message.id,
                title: message.title,
                body: message.body,
                data: message.data
            )
            return PushResponse(await gateway.send(notification, to: PushDevice(target)))
        }
    }

    private static func apns(_ reader: inout SettingsReader) -> APNsClient.Settings? {
        guard let path = reader.text("APNS_KEY_FILE") else { return nil }
        let keyID = required("APNS_KEY_ID", "Apple's id of the key, ten characters", &reader)
        let team = required("APNS_TEAM_ID", "the team's id, ten characters", &reader)
        let topics = reader.list("APNS_TOPIC")
        if topics.isEmpty { reader.refuse("APNS_TOPIC is missing: the app's bundle id, or several") }
        let url = address("APNS_URL", &reader)
        guard let data = FileManager.default.contents(atPath: path) else {
            reader.refuse("APNS_KEY_FILE cannot be read")
            return nil
        }
        do throws(KeyError) {
            let key = try PrivateKey(pem: String(decoding: data, as: UTF8.self), keyID: keyID)
            guard key.publicKey.algorithm == .es256 else { throw .unsupported }
            return APNsClient.Settings(key: key, team: team, topics: topics, url: url)
        } catch {
            reader.refuse("APNS_KEY_FILE is no .p8 key of Apple's (P-256, PEM): \(error)")
            return nil
        }
    }

    /// The same with the service account as its file has it now; nil without such a file. The key of Apple's stays, as
    /// its id is in another setting. Blocks.
    func rereadingAccount() throws(ConfigurationError) -> PushServices? {
        guard let accountFile else { return nil }
        var renewed = self
        renewed.account = try Self.account(accountFile)
        return renewed
    }

    private static func account(_ path: String, _ reader: inout SettingsReader) -> ServiceAccount? {
        do throws(ConfigurationError) {
            return try account(path)
        } catch {
            for fault in error.faults { reader.refuse(fault) }
            return nil
        }
    }

    private static func account(_ path: String) throws(ConfigurationError) -> ServiceAccount {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ConfigurationError(["FCM_SERVICE_ACCOUNT_FILE cannot be read"])
        }
        do throws(ServiceAccount.Fault) {
            return try ServiceAccount(json: Array(data))
        } catch {
            throw ConfigurationError(["FCM_SERVICE_ACCOUNT_FILE: \(error)"])
        }
    }

    private static func required(_ name: String, _ what: String, _ reader: inout SettingsReader) -> String {
        guard let text = reader.text(name) else {
            reader.refuse("\(name) is missing: \(what)")
            return ""
        }
        return text
    }

    /// An address without a path, in place of the service's own.
    private static func address(_ name: String, _ reader: inout SettingsReader) -> String? {
        reader.read(name, default: nil, accepted: "an address without a path, such as https://localhost:8443") { text in
            let isAddress = text.wholeMatch(of: #/(?i:https?):\/\/[^\s\/?#@]+/#) != nil
            return isAddress && (try? WebAddress(text)) != nil ? .some(text) : nil
        }
    }
}

extension PushServices: CustomStringConvertible {
    /// For people: no key.
    var description: String {
        let names = [
            apns.map { "APNs for \($0.topics.joined(separator: ", "))" }, account.map { "FCM for \($0.project)" },
        ]
        return names.compactMap(\.self).joined(separator: "; ")
    }
}

extension PushDevice {
    init(_ target: PushTarget) {
        let service: Service =
            target.platform == "android" ? .fcm : target.environment == "sandbox" ? .apnsSandbox : .apns
        self.init(service, token: target.token, app: target.app, registeredAt: target.registered)
    }
}

extension PushResponse {
    init(_ delivery: PushDelivery) {
        self =
            switch delivery {
            case .delivered: .accepted
            case .removeToken(let reason): .unregistered(reason)
            case .failed(let reason): .refused(reason)
            case .retry(_, let reason): .later(reason)
            }
    }
}
