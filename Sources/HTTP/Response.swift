/// What a handler answers.
///
/// `Content-Length`, `Date` and `Connection` are added when it is written; on HEAD, 204 and 304 the body stays behind.
public struct Response: Sendable {
    public var status: Status
    public var headers: Headers
    public var body: [UInt8]
    /// The body's writer has already brought its dates into the form that the server promises.
    package var datesAreNormalised = false
    /// The handler has said how long the answer may be kept; otherwise it is marked as not to be stored.
    package var isCacheable = false
    /// More header fields that a browser may show to scripts of other origins, as a comma list.
    package var exposedFields: String?
    /// Closes the connection behind this response, whatever the client asked for.
    package var closesConnection = false

    public init(status: Status = .ok, headers: Headers = Headers(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
