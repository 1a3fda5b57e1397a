import SwiftletEventLoop
import SwiftletHTTP

/// Takes the body of a streamed response to its connection, from any thread.
final class ConnectionSink: ResponseSink {
    private let connection: LoopBound<WeakConnection>

    init(_ connection: HTTPConnection, on loop: EventLoop) {
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
    weak var connection: HTTPConnection?

    init(_ connection: HTTPConnection) { self.connection = connection }
}
