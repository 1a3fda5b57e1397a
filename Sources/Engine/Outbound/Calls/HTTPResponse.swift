/// The response of another service, whatever its status.
public struct HTTPResponse: Sendable {
    public let status: Int
    /// In the order of arrival.
    public let headers: [(name: String, value: String)]
    /// Empty in the head of a stream.
    public let body: [UInt8]
    /// Whether it came by HTTP/2.
    package let isHTTP2: Bool
    /// Whether a connection was opened for it.
    package let isOnNewConnection: Bool

    /// A response that no server has sent, for tests.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        self.init(status: status, headers: headers, body: body, isHTTP2: false)
    }

    package init(
        status: Int,
        headers: [(name: String, value: String)] = [],
        body: [UInt8] = [],
        isHTTP2: Bool,
        isOnNewConnection: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isHTTP2 = isHTTP2
        self.isOnNewConnection = isOnNewConnection
    }

    /// 200 to 299.
    public var isSuccess: Bool { (200..<300).contains(status) }

    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The values of the fields with this name, ignoring case, combined as in RFC 9110 §5.3; nil when there is none.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The seconds of `Retry-After`; nil without one, or when it is a date.
    public var retryAfter: Duration? {
        header("retry-after").flatMap { Int64($0) }.flatMap { (0...86_400).contains($0) ? .seconds($0) : nil }
    }
}
