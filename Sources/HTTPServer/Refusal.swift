package import HTTP

/// A response is needed in place of the handler's, and the last one of its connection: the request is malformed, slow to
/// arrive or too much content together with those of others, its handler took too long and was cancelled, or its response
/// is too much together with those of others.
package struct Refusal: Sendable {
    package let status: Status
    /// A fixed text that is safe for clients.
    package let reason: String
    package let remoteAddress: String
    /// The request whose handler took too long.
    package let request: Request?
    /// The request otherwise, without its content if that is not complete; nil if its head is not either.
    package let incomplete: Request?
}
