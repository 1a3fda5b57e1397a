package import SwiftletHTTP

/// Asks for a response in place of the handler's. The connection closes after it, unless an answer was withheld.
package struct Refusal: Sendable {
    package let status: Status
    /// A fixed text that is safe for clients.
    package let reason: String
    package let remoteAddress: String
    /// Without its content if that is not complete; nil if its head is not valid or not complete either.
    package let request: Request?
    /// The `Origin` field of the request or, as far as it can be found, of its malformed or incomplete head.
    package let origin: String?
    package let cause: Cause

    package enum Cause: Sendable {
        /// The request is malformed, slow to arrive, or too much content together with those of others.
        case request
        /// The request's handler took too long, and has been cancelled.
        case slowHandler
        /// The answer is large, and clients of the same loop have left too much unread. Only reads are withheld: a change
        /// has been made by then.
        case unreadOutput
    }
}
