package import SwiftletOutbound

/// Sends to Android devices, by version 1 of Google's HTTP interface.
package struct FCMClient: Sendable {
    private static let timeout = Duration.seconds(20)

    private let engine: HTTPEngine
    private let address: String
    private let clock: @Sendable () -> Int
    private let accessToken: AccessToken

    /// `url` stands in for Google's host. The clock counts seconds since 1970.
    package init(
        _ account: ServiceAccount,
        url: String? = nil,
        _ engine: HTTPEngine,
        clock: @escaping @Sendable () -> Int
    ) {
        self.engine = engine
        self.clock = clock
        address = "\(url ?? "https://fcm.googleapis.com")/v1/projects/\(account.project)/messages:send"
        accessToken = AccessToken(account, engine, clock: clock)
    }

    package func send(_ notification: PushNotification, to device: PushDevice) async -> PushDelivery {
        do {
            let body = try PushPayload.fcm(notification, token: device.token, now: clock())
            let first = try await accessToken.text()
            if case .done(let delivery) = try await attempt(body, with: first) { return delivery }
            let second = try await accessToken.text(insteadOf: first)
            if case .done(let delivery) = try await attempt(body, with: second) { return delivery }
            return .failed("FCM 401: the service account's access token is refused")
        } catch let error as PushPayload.TooLarge {
            return .failed("\(error)")
        } catch let error as AccessToken.Failure {
            return error.delivery
        } catch let error as HTTPFailure {
            return error.isTemporary || error == .cancelled ? .retry(after: nil, "\(error)") : .failed("\(error)")
        } catch {
            return .failed("\(error)")
        }
    }

    private func attempt(_ body: [UInt8], with token: String) async throws(HTTPFailure) -> FCMResponse.Decision {
        var request = HTTPRequest("POST", address, body: body)
        request.headers = [("authorization", "Bearer \(token)"), ("content-type", "application/json")]
        request.timeout = Self.timeout
        request.maximumBodyBytes = 65_536
        return FCMResponse(try await engine.send(request)).decision
    }
}
