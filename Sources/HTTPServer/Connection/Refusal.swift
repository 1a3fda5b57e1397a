package import HTTP

/// A response is needed in place of the handler's, and the last one of its connection: the request is malformed, slow to
/// arrive or too much content together with those of others, or its handler took too long and was cancelled.
package struct Refusal: Sendable {
    package let status: Status
    /// A fixed text that is safe for clients.
    package let reason: String
    package let remoteAddress: String
    /// Without its content if that is not complete; nil if its head is not valid or not complete either.
    package let request: Request?
    /// Its handler took too long, and has been cancelled.
    package let isTimeout: Bool
}
