/// What becomes known about a request while it is handled. The handler and, after its time limit, the server can both
/// answer it, and must log it under the same id.
package struct RequestNotes: Sendable {
    /// The id in its response and in the log; nil until one was assigned.
    package var id: String?
    /// The server has answered in place of the handler, which took too long.
    package var isTimedOut = false
    /// The caller and its tenant, where the handler authenticates callers itself; for the log.
    package var userID: String?
    package var tenantID: String?
}
