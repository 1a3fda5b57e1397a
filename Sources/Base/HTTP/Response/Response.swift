/// The response of a handler.
///
/// `Content-Length`, `Date` and `Connection` are added on sending; for HEAD, 204, 205 and 304 the body is not sent.
public struct Response: Sendable {
    public var status: Status
    public var headers: Headers
    public var body: [UInt8]
    /// Produces the body in place of ``body``.
    package var stream: ResponseStream?
    /// The connection becomes a WebSocket in place of a response. ``status`` is 101 then.
    package var upgrade: WebSocketUpgrade?
    /// The dates in the body already have the format that the server guarantees.
    package var datesAreNormalized = false
    /// Stands beside the status in place of its registered phrase: printable ASCII, else it is left out.
    package var reason: String?
    /// The answer to HEAD does not say how long that to GET is.
    package var omitsLength = false
    /// The handler has set how long the response may be cached; otherwise it is marked `no-store`.
    package var isCacheable = false
    /// Further header fields that browsers may expose to scripts of other origins, separated by commas.
    package var exposedFields: String?

    public init(status: Status = .ok, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
