import SwiftletHTTP

/// How a connection sends a response that is produced meanwhile. Used on the loop only, but for the sink.
struct ResponseStreaming {
    /// Sends the head; false when there is no body to produce, and the response is to be delivered as others are.
    let begin: (borrowing Response) -> Bool
    /// Ends the body, or breaks the connection off if it is not whole.
    let finish: (_ isWhole: Bool) -> Void
    /// Where the body goes. Made for such responses only.
    let makeSink: () -> any ResponseSink
}
