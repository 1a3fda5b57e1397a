import SwiftletHTTP
import SwiftletWeb

/// Where a request comes from, for the session's row and the rate limits.
struct ClientInfo: Sendable {
    let address: String
    let userAgent: String

    init(_ request: Request, trusting proxies: TrustedProxies? = nil) {
        address = ClientAddress(request, trusting: proxies).text
        userAgent = String((request.header(.userAgent) ?? "").prefix(Self.maximumLength))
    }

    private static let maximumLength = 512
}
