public import SwiftletWeb

/// A message to the devices of one person.
public struct PushMessage: Hashable, Sendable {
    /// The same at each attempt, so that a service may recognize it.
    public var id: String
    public var title: String
    public var body: String
    /// For the app; both services take nothing but text.
    public var data: [String: String]

    public init(id: String, title: String, body: String, data: [String: String] = [:]) {
        self.id = id
        self.title = title
        self.body = body
        self.data = data
    }
}

/// One installation of an app.
public struct PushTarget: Hashable, Sendable {
    /// What the service has called it.
    public var token: String
    /// `ios` or `android`.
    public var platform: String
    /// `production` or `sandbox`.
    public var environment: String
    /// The app's bundle id or package name.
    public var app: String
    /// Seconds since 1970: a service may only know that the token was invalid before.
    public var registered: Int

    public init(token: String, platform: String, environment: String, app: String, registered: Int) {
        self.token = token
        self.platform = platform
        self.environment = environment
        self.app = app
        self.registered = registered
    }
}

/// What the service has said to a message.
public enum PushResponse: Hashable, Sendable {
    case accepted
    /// The installation is gone: forget its token.
    case unregistered(String)
    /// Another attempt is of no use.
    case refused(String)
    case later(String)
}

/// Hands messages to Apple's and Google's services.
public struct PushSender: Sendable {
    private let deliver: @Sendable (PushMessage, PushTarget) async -> PushResponse

    public init(_ deliver: @escaping @Sendable (PushMessage, PushTarget) async -> PushResponse) {
        self.deliver = deliver
    }

    public func send(_ message: PushMessage, to target: PushTarget) async -> PushResponse {
        await deliver(message, target)
    }
}

/// Who delivers push messages; nil for nobody.
///
///     values[PushKey.self] = PushSender { message, target in .accepted }
public enum PushKey: ContextKey {
    public static let defaultValue: PushSender? = nil
}

extension Context {
    /// Who delivers push messages. Throws 503 `PUSH_UNAVAILABLE` if the server has nobody.
    public var push: PushSender {
        get throws(APIError) {
            guard let push = self[PushKey.self] else {
                throw .unavailable("PUSH_UNAVAILABLE", "No push service is configured.")
            }
            guard isTraced else { return push }
            return PushSender { message, target in
                let span = beginSpan()
                let response = await push.send(message, to: target)
                span?.end(
                    "push",
                    .client,
                    [
                        ("swiftlet.push.platform", .text(target.platform)),
                        ("swiftlet.push.response", .text(response.label)),
                    ],
                    isFailed: response != .accepted
                )
                return response
            }
        }
    }
}

extension PushResponse {
    /// For traces: without the reason, which is a service's own text.
    fileprivate var label: String {
        switch self {
        case .accepted: "accepted"
        case .unregistered: "unregistered"
        case .refused: "refused"
        case .later: "later"
        }
    }
}
