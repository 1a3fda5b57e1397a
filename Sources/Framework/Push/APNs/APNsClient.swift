package import SwiftletAuth
package import SwiftletOutbound

/// Sends to Apple's devices.
package struct APNsClient: Sendable {
    package struct Settings: Sendable {
        /// P-256, with Apple's id of the key.
        package var key: PrivateKey
        package var team: String
        /// Bundle ids; the first is that of devices which name none of them.
        package var topics: [String]
        /// In place of Apple's two hosts.
        package var url: String?

        package init(key: PrivateKey, team: String, topics: [String], url: String? = nil) {
            self.key = key
            self.team = team
            self.topics = topics
            self.url = url
        }
    }

    private static let timeout = Duration.seconds(20)
    private static let maximumCollapseBytes = 64
    private static let tokenBytes = 1...400

    private let engine: HTTPEngine
    private let settings: Settings
    private let clock: @Sendable () -> Int
    private let token: ProviderToken

    /// The clock counts seconds since 1970.
    package init(_ settings: Settings, _ engine: HTTPEngine, clock: @escaping @Sendable () -> Int) {
        self.settings = settings
        self.engine = engine
        self.clock = clock
        token = ProviderToken(settings.key, team: settings.team, clock: clock)
    }

    package func send(_ notification: PushNotification, to device: PushDevice) async -> PushDelivery {
        guard Self.tokenBytes.contains(device.token.utf8.count), device.token.utf8.allSatisfy(Self.isHex) else {
            return .removeToken("the token is none of Apple's")
        }
        guard (notification.collapseID?.utf8.count ?? 0) <= Self.maximumCollapseBytes else {
            return .failed("the collapse id has more than \(Self.maximumCollapseBytes) bytes")
        }
        do {
            let body = try PushPayload.apns(notification)
            let first = try token.current()
            let decision = try await attempt(notification, body, device, with: first)
            guard case .done(let delivery) = decision else {
                let second = try token.replacement(for: first)
                // Too young to be renewed: our clock may be wrong.
                guard second != first else { return .retry(after: .seconds(60), "APNs 403 ExpiredProviderToken") }
                if case .done(let delivery) = try await attempt(notification, body, device, with: second) {
                    return delivery
                }
                return .retry(after: .seconds(60), "APNs 403 ExpiredProviderToken")
            }
            return delivery
        } catch let error as PushPayload.TooLarge {
            return .failed("\(error)")
        } catch let error as HTTPFailure {
            return error.isTemporary || error == .cancelled ? .retry(after: nil, "\(error)") : .failed("\(error)")
        } catch {
            return .failed("the provider token cannot be signed: \(error)")
        }
    }

    private func attempt(
        _ notification: PushNotification,
        _ body: [UInt8],
        _ device: PushDevice,
        with token: String
    ) async throws(HTTPFailure) -> APNsResponse.Decision {
        let host = device.service == .apnsSandbox ? "api.sandbox.push.apple.com" : "api.push.apple.com"
        let topic = settings.topics.contains(device.app) ? device.app : settings.topics.first ?? ""
        var request = HTTPRequest("POST", "\(settings.url ?? "https://\(host)")/3/device/\(device.token)", body: body)
        // Twice is better than never, and Apple closes its connections often.
        request.isRepeatable = true
        request.headers = [
            ("authorization", "bearer \(token)"),
            ("apns-topic", topic),
            ("apns-push-type", "alert"),
            ("apns-priority", notification.isUrgent ? "10" : "5"),
            ("apns-id", notification.id.lowercased()),
        ]
        if let expiresAt = notification.expiresAt {
            let latest = clock() + PushPayload.maximumSeconds
            request.headers.append(("apns-expiration", "\(max(0, min(expiresAt, latest)))"))
        }
        if let collapseID = notification.collapseID { request.headers.append(("apns-collapse-id", collapseID)) }
        request.timeout = Self.timeout
        request.maximumBodyBytes = 65_536
        return APNsResponse(try await engine.send(request)).decision(registeredAt: device.registeredAt)
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
