import EventLoop
import HTTP

/// How a connection sends a response that is produced meanwhile. Used on the loop only, but for the sink.
struct ResponseStreaming {
    /// Sends the head; false when there is no body to produce, and the response is to be delivered as others are.
    let begin: (borrowing Response) -> Bool
    /// Ends the body, or breaks the connection off if it is not whole.
    let finish: (_ isWhole: Bool) -> Void
    /// Where the body goes. Made for such responses only.
    let makeSink: () -> any ResponseSink
}

/// Takes the body of a streamed response to its connection, from any thread.
final class ConnectionSink: ResponseSink {
    private let connection: LoopBound<WeakConnection>

    init(_ connection: Connection, on loop: EventLoop) {
        self.connection = LoopBound(WeakConnection(connection), on: loop)
    }

    func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        let connection = connection
        let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
            connection.loop.execute {
                guard let target = connection.value.connection else {
                    return continuation.resume(returning: .failure(CancellationError()))
                }
                target.write(bytes, then: continuation)
            }
        }
        try result.get()
    }
}

/// A connection that may be gone.
final class WeakConnection {
    weak var connection: Connection?

    init(_ connection: Connection) { self.connection = connection }
}
