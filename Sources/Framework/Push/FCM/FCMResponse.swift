import SwiftletJSON
package import SwiftletOutbound

/// What Google has answered.
package struct FCMResponse: Hashable, Sendable {
    package enum Decision: Hashable, Sendable {
        case done(PushDelivery)
        /// Send again, with a new access token.
        case renewAccessToken
    }

    let status: Int
    /// The `errorCode` of the `FcmError` among the details, else the error's `status`; empty without one.
    let code: String
    /// Whether it was JSON: proxies and overloaded frontends answer in HTML.
    let isJSON: Bool
    let retryAfter: Duration?

    private static let patience = Duration.seconds(60)

    init(status: Int, code: String, isJSON: Bool = true, retryAfter: Duration? = nil) {
        self.status = status
        self.code = code
        self.isJSON = isJSON
        self.retryAfter = retryAfter
    }

    package init(_ response: HTTPResponse) {
        let body = try? JSONParser.parse(response.body)
        let error = body?["error"]
        let details = error?["details"]?.array ?? []
        let detail = details.first { $0["@type"]?.string?.hasSuffix(".FcmError") == true }
        let code = detail?["errorCode"]?.string ?? error?["status"]?.string ?? ""
        self.init(
            status: response.status,
            // It becomes part of logs, so it may only be a word.
            code: String(code.filter { $0.isASCII && ($0.isLetter || $0 == "_") }.prefix(64)),
            isJSON: body?.object != nil,
            retryAfter: response.retryAfter
        )
    }

    /// "FCM error codes" in Google's documentation.
    package var decision: Decision {
        guard isJSON else { return .done(.retry(after: retryAfter ?? Self.patience, "\(text), not in JSON")) }
        return switch (status, code) {
        case (200, _): .done(.delivered)
        case (_, "UNREGISTERED"): .done(.removeToken(text))
        case (401, "THIRD_PARTY_AUTH_ERROR"): .done(.failed(text))
        case (401, _): .renewAccessToken
        case (429, _): .done(.retry(after: retryAfter ?? Self.patience, text))
        case (500..., _): .done(.retry(after: retryAfter, text))
        default: .done(.failed(text))
        }
    }

    private var text: String { code.isEmpty ? "FCM \(status)" : "FCM \(status) \(code)" }
}
