import Synchronization

/// Hands content from the connection that receives it to the handler that reads it.
package final class BodyStream: Sendable {
    private struct State {
        var chunks: [[UInt8]] = []
        var first = 0
        /// Counts pushes and the end.
        var progress = 0
        var end: Result<Void, any Error>?
        var waiter: CheckedContinuation<Void, Never>?
        /// Asks the connection for more.
        var demand: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Whether the client sends the content only after `100 Continue`.
    package let awaitsContinue: Bool

    init(awaitsContinue: Bool) { self.awaitsContinue = awaitsContinue }

    /// Called whenever the handler waits, from any thread.
    package func onDemand(_ demand: (@Sendable () -> Void)?) {
        state.withLock { $0.demand = demand }
    }

    package func push(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        change { state in
            guard state.end == nil else { return }
            state.chunks.append(chunk)
            state.progress += 1
        }
    }

    /// Changes when the reader has got something.
    package var progress: Int { state.withLock(\.progress) }

    /// Nothing more arrives. The first end counts; with an error, what was not read is dropped.
    package func end(_ error: (any Error)? = nil) {
        change { state in
            guard state.end == nil else { return }
            state.progress += 1
            state.end = error.map { .failure($0) } ?? .success(())
            if error != nil { state.chunks = [] }
            state.demand = nil
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let waiter = state.withLock { state in
            let before = state.progress
            change(&state)
            return state.progress == before ? nil : state.waiter.take()
        }
        waiter?.resume()
    }

    func next() async throws -> [UInt8]? {
        while true {
            try Task.checkCancellation()
            let (chunk, end, demand) = state.withLock { state in
                guard state.first < state.chunks.count else {
                    state.chunks = []
                    state.first = 0
                    return ([UInt8]?.none, state.end, state.demand)
                }
                defer { state.first += 1 }
                let chunk = state.chunks[state.first]
                state.chunks[state.first] = []
                return (chunk, state.end, nil)
            }
            if let chunk { return chunk }
            if let end {
                try end.get()
                return nil
            }
            demand?()
            await wait()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    if state.first < state.chunks.count || state.end != nil || Task.isCancelled { return true }
                    state.waiter = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        } onCancel: {
            end(CancellationError())
        }
    }
}
