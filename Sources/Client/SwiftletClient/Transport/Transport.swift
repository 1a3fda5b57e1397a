public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
import Synchronization
#endif

/// Sends one request and waits for the whole answer: the seam between ``APIClient`` and the network.
///
/// Throws a `URLError` if there is no answer. Every status is an answer.
public protocol Transport: Sendable {
    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)
}

extension URLSession: Transport {
    public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        #if canImport(FoundationNetworking)
        let (data, response) = try await answer(to: request)
        #else
        let (data, response) = try await data(for: request)
        #endif
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return (data, response)
    }
}

#if canImport(FoundationNetworking)
extension URLSession {
    /// As `data(for:)`, which on Linux can wait for ever when it is cancelled in the moment in which the answer comes: the
    /// cancellation waits for the session's queue, and the queue for the task that is being cancelled.
    private func answer(to request: URLRequest) async throws -> (Data, URLResponse) {
        let call = CancellableCall()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = dataTask(with: request) { data, response, error in
                    if let data, let response, error == nil {
                        continuation.resume(returning: (data, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                call.start(task)
            }
        } onCancel: {
            DispatchQueue.global().async { call.cancel() }
        }
    }
}

/// A request that may be cancelled before it is begun.
private final class CancellableCall: Sendable {
    private let state = Mutex<(task: URLSessionTask?, isCancelled: Bool)>((nil, false))

    func start(_ task: URLSessionTask) {
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        task.resume()
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }
}
#endif
