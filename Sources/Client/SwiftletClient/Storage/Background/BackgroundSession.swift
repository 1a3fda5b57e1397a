#if canImport(Darwin)
public import Foundation

/// Has the system send files, also while the app does not run: a background session of `URLSession`.
///
/// Make one with the same identifier each time the app starts, also when the system starts it for the session's events.
public final class BackgroundSession: NSObject, BackgroundTransfers, URLSessionTaskDelegate, Sendable {
    public typealias Receiver = @Sendable (BackgroundUpload.Outcome) -> Void

    private struct State: Sendable {
        var session: URLSession?
        var receiver: (@Sendable (String, Int?) async -> Void)?
        /// What has ended before anybody was connected.
        var early: [(id: String, status: Int?)] = []
        /// Tasks of which the system has told the end, which may not say so themselves yet.
        var ended: Set<Int> = []
        /// How many ends are being told.
        var deliveries = 0
        var areEventsFinished = false
        var completion: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    public init(identifier: String, sharedContainer: String? = nil, allowsCellular: Bool = true) {
        super.init()
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.sharedContainerIdentifier = sharedContainer
        configuration.allowsCellularAccess = allowsCellular
        configuration.isDiscretionary = false
        configuration.sessionSendsLaunchEvents = true
        let session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        state.withLock { $0.session = session }
    }

    /// Tells `uploads` what has ended, and `receiver` what came of it.
    public func connect(_ uploads: BackgroundUploads, _ receiver: @escaping Receiver) {
        let deliver: @Sendable (String, Int?) async -> Void = { id, status in
            // A store that cannot be read now is read when the app starts the next time.
            if let outcome = try? await uploads.ended(id, status: status) { receiver(outcome) }
        }
        let early = state.withLock { state in
            state.receiver = deliver
            state.deliveries += 1
            defer { state.early = [] }
            return state.early
        }
        Task {
            for (id, status) in early { await deliver(id, status) }
            endDelivery()
        }
    }

    /// For `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    public func handleEvents(completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.completion = completion }
        complete()
    }

    public func start(_ request: URLRequest, from file: URL, as id: String) async throws {
        guard let session = state.withLock(\.session) else { return }
        let task = session.uploadTask(with: request, fromFile: file)
        task.taskDescription = id
        task.resume()
    }

    public func running() async -> Set<String> {
        guard let session = state.withLock(\.session) else { return [] }
        let tasks = await session.allTasks
        let ended = state.withLock(\.ended)
        return Set(
            tasks.filter { $0.state != .completed && !ended.contains($0.taskIdentifier) }.compactMap(\.taskDescription)
        )
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let id = task.taskDescription else { return }
        let status = error == nil ? (task.response as? HTTPURLResponse)?.statusCode : nil
        let receiver = state.withLock { state in
            state.ended.insert(task.taskIdentifier)
            if state.receiver == nil { state.early.append((id, status)) } else { state.deliveries += 1 }
            return state.receiver
        }
        guard let receiver else { return }
        Task {
            await receiver(id, status)
            endDelivery()
        }
    }

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        state.withLock { $0.areEventsFinished = true }
        complete()
    }

    private func endDelivery() {
        state.withLock { $0.deliveries -= 1 }
        complete()
    }

    /// The system may suspend the app from then on, so all that has ended is told before.
    private func complete() {
        let completion = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.areEventsFinished, state.deliveries == 0, state.early.isEmpty,
                let completion = state.completion
            else { return nil }
            (state.completion, state.areEventsFinished) = (nil, false)
            return completion
        }
        if let completion { DispatchQueue.main.async(execute: completion) }
    }
}
#endif
