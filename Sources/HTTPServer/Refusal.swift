package import HTTP

/// Why the server responds in place of the handler. The connection closes after the response.
package struct Refusal: Sendable {
    package enum Cause: Sendable, Equatable {
        /// The bytes are not an acceptable request: 400, 414, 417, 431, 501, 505.
        case malformedRequest
        /// The request did not arrive in time: 408.
        case slowRequest
        /// Too much content of other requests is held already: 503.
        case overloaded
        /// The handler did not answer in time, and was cancelled: 503.
        case slowHandler
    }

    package let cause: Cause
    package let status: Status
    /// A fixed text that is safe for clients.
    package let reason: String
    package let remoteAddress: String
    /// The request, when it was complete.
    package let request: Request?

    package init(cause: Cause, status: Status, reason: String, remoteAddress: String, request: Request? = nil) {
        self.cause = cause
        self.status = status
        self.reason = reason
        self.remoteAddress = remoteAddress
        self.request = request
    }
}
