package import HTTP

/// A response is needed in place of the handler's, and the last one of its connection: the request is malformed, slow to
/// arrive or too much content together with those of others, or its handler took too long and was cancelled.
package struct Refusal: Sendable {
    package let status: Status
    /// A fixed text that is safe for clients.
    package let reason: String
    package let remoteAddress: String
    /// The request whose handler took too long; otherwise none was complete.
    package let request: Request?
    /// The request that did not become complete, without its content; nil if its head did not either.
    package let incomplete: Request?
}
