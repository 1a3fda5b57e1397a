import SwiftletJSON
package import SwiftletOutbound

/// What Apple has answered.
package struct APNsResponse: Hashable, Sendable {
    package enum Decision: Hashable, Sendable {
        case done(PushDelivery)
        /// Send again, with a new provider token.
        case renewProviderToken
    }

    let status: Int
    /// Empty if the body does not say.
    let reason: String
    /// Seconds since 1970, as of which the token was not valid.
    let invalidSince: Int?
    let retryAfter: Duration?

    init(status: Int, reason: String, invalidSince: Int? = nil, retryAfter: Duration? = nil) {
        self.status = status
        self.reason = reason
        self.invalidSince = invalidSince
        self.retryAfter = retryAfter
    }

    package init(_ response: HTTPResponse) {
        let body = response.body.isEmpty ? nil : try? JSONParser.parse(response.body)
        status = response.status
        // It becomes part of logs, so it may only be a word.
        reason = (body?["reason"]?.string).map { String($0.filter { $0.isASCII && $0.isLetter }.prefix(64)) } ?? ""
        invalidSince = (body?["timestamp"]?.int).map { $0 / 1000 }
        retryAfter = response.retryAfter
    }

    /// "Handling notification responses from APNs" in Apple's documentation.
    package func decision(registeredAt: Int) -> Decision {
        switch (status, reason) {
        case (200, _): .done(.delivered)
        case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"): .done(.removeToken(text))
        case (400, "IdleTimeout"): .done(.retry(after: nil, text))
        case (403, "ExpiredProviderToken"): .renewProviderToken
        // Registered again since, it is valid.
        case (410, _):
            if let invalidSince, registeredAt > invalidSince {
                .done(.retry(after: nil, text))
            } else {
                .done(.removeToken(text))
            }
        // `TooManyRequests` concerns this device, `TooManyProviderTokenUpdates` our token, which stays.
        case (429, _), (500..., _): .done(.retry(after: retryAfter, text))
        default: .done(.failed(text))
        }
    }

    private var text: String { reason.isEmpty ? "APNs \(status)" : "APNs \(status) \(reason)" }
}
