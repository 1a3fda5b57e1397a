/// What is known about a request beside its bytes. It can be answered in two places, once when its time is up, and both
/// must speak of it by the same id.
package struct RequestNotes: Sendable {
    /// The id in its answer and in the log; nil until it was looked at.
    package var id: String?
    /// The listener has answered, as the handler did not in time.
    package var isTimedOut = false
}
