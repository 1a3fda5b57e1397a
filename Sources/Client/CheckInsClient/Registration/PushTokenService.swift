public import Foundation
public import SwiftletClient

/// A device that the user's messages go to.
public struct PushToken: Codable, Sendable, Hashable {
    public enum Platform: String, SafeDecodable { case ios, android, unknown }
    public enum Environment: String, SafeDecodable { case production, sandbox, unknown }

    public var token: String
    public var platform: Platform
    /// Of APNs: builds that Xcode installs have tokens of the sandbox.
    public var environment: Environment
    /// The bundle's identifier.
    public var app: String
    public var registeredAt: Date?

    public init(token: String, platform: Platform = .ios, environment: Environment = .production, app: String) {
        self.token = token
        self.platform = platform
        self.environment = environment
        self.app = app
    }

    /// As `application(_:didRegisterForRemoteNotificationsWithDeviceToken:)` gets it.
    public init(deviceToken: Data, environment: Environment = .production, app: String) {
        self.init(
            token: deviceToken.map { String(format: "%02x", $0) }.joined(),
            environment: environment,
            app: app
        )
    }
}

extension APIEndpoint {
    public static var pushTokens: APIEndpoint { APIEndpoint(.get, path("push-tokens")) }

    /// A device belongs to whoever has registered it last.
    public static func registerPushToken(_ token: PushToken) -> APIEndpoint {
        APIEndpoint(.post, path("push-tokens"), body: .json(token.registration), repetition: .safe)
    }

    public static func removePushToken(_ token: String) -> APIEndpoint { delete(path("push-tokens", token)) }
}

extension PushToken {
    /// Without the time, which is the server's.
    fileprivate var registration: [String: String] {
        ["token": token, "platform": platform.rawValue, "environment": environment.rawValue, "app": app]
    }
}

/// The devices that the user's messages go to.
public struct PushTokenService: Sendable {
    private let client: APIClient

    public init(_ client: APIClient) { self.client = client }

    public func pushTokens() async throws -> [PushToken] { try await client.requestArray(.pushTokens) }

    /// At each start of the app, because tokens change.
    @discardableResult
    public func register(_ token: PushToken) async throws -> PushToken {
        try await client.request(.registerPushToken(token))
    }

    /// Before the user signs out.
    public func remove(_ token: String) async throws { try await client.requestVoid(.removePushToken(token)) }
}
