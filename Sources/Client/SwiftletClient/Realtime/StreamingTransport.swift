public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// Opens an answer that does not end: the seam between ``RowChanges`` and the network.
public protocol StreamingTransport: Sendable {
    /// Throws a `URLError` if there is no answer. The stream ends with the answer, or with a `URLError`.
    func open(_ request: URLRequest) async throws -> (HTTPURLResponse, AsyncThrowingStream<Data, any Error>)
}

/// Each stream has a `URLSession` of its own, which ends with it.
public struct URLSessionStreaming: StreamingTransport {
    /// Without a byte for so long, the connection is dead: servers say every 15 seconds that they are there.
    public var silence: TimeInterval = 45

    public init() {}

    public func open(_ request: URLRequest) async throws -> (HTTPURLResponse, AsyncThrowingStream<Data, any Error>) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = silence
        configuration.timeoutIntervalForResource = 7 * 86_400
        let receiver = StreamReceiver()
        let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        var request = request
        request.timeoutInterval = silence
        let task = session.dataTask(with: request)
        let (body, continuation) = AsyncThrowingStream<Data, any Error>.makeStream()
        continuation.onTermination = { termination in
            // On Linux, a task that is cancelled while it ends can end the program (swift-corelibs-foundation).
            if case .cancelled = termination {
                session.invalidateAndCancel()
            } else {
                session.finishTasksAndInvalidate()
            }
        }
        let response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                receiver.begin(head: waiting, body: continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
        return (response, body)
    }
}

/// Hands on what a session tells of one task.
private final class StreamReceiver: NSObject, URLSessionDataDelegate, Sendable {
    private struct State: Sendable {
        var head: CheckedContinuation<HTTPURLResponse, any Error>?
        var body: AsyncThrowingStream<Data, any Error>.Continuation?
    }

    private let state = Locked(State())

    func begin(
        head: CheckedContinuation<HTTPURLResponse, any Error>,
        body: AsyncThrowingStream<Data, any Error>.Continuation
    ) {
        state.withLock { $0 = State(head: head, body: body) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { takeHead()?.resume(returning: response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        _ = state.withLock { $0.body?.yield(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        takeHead()?.resume(throwing: error ?? URLError(.badServerResponse))
        let body = state.withLock(\.body)
        if let error { body?.finish(throwing: error) } else { body?.finish() }
    }

    private func takeHead() -> CheckedContinuation<HTTPURLResponse, any Error>? {
        state.withLock { state in
            defer { state.head = nil }
            return state.head
        }
    }
}
