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
            defer { state.early = [] }
            return state.early
        }
        Task { for (id, status) in early { await deliver(id, status) } }
    }

    /// For `application(_:handleEventsForBackgroundURLSession:completionHandler:)`.
    public func handleEvents(completion: @escaping @Sendable () -> Void) {
        state.withLock { $0.completion = completion }
    }

    public func start(_ request: URLRequest, from file: URL, as id: String) async throws {
        guard let session = state.withLock(\.session) else { return }
        let task = session.uploadTask(with: request, fromFile: file)
        task.taskDescription = id
        task.resume()
    }

    public func running() async -> Set<String> {
        guard let session = state.withLock(\.session) else { return [] }
        return Set(await session.allTasks.filter { $0.state != .completed }.compactMap(\.taskDescription))
    }

    public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let id = task.taskDescription else { return }
        let status = error == nil ? (task.response as? HTTPURLResponse)?.statusCode : nil
        let receiver = state.withLock { state in
            if state.receiver == nil { state.early.append((id, status)) }
            return state.receiver
        }
        if let receiver { Task { await receiver(id, status) } }
    }

    public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let completion = state.withLock { state in
            defer { state.completion = nil }
            return state.completion
        }
        if let completion { DispatchQueue.main.async(execute: completion) }
    }
}
#endif
