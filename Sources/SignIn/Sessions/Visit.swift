internal import HTTP

/// From where somebody signs in or refreshes, for the session's row and the limits.
struct Visit: Sendable {
    let address: String
    let userAgent: String

    init(_ request: Request) {
        address = ClientAddress(request).text
        userAgent = String((request.header(.userAgent) ?? "").prefix(Self.maximumLength))
    }

    private static let maximumLength = 512
}
