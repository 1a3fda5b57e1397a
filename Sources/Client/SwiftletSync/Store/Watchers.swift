import Foundation
import SwiftletClient

/// Tells of changes in the local store. A watcher that is slow hears of several at once.
final class Watchers: Sendable {
    enum Subject: Hashable, Sendable {
        case table(String)
        case conflicts
        /// There is something to send.
        case queue
    }

    private struct Listener {
        let subject: Subject
        let signal: AsyncStream<Void>.Continuation
    }

    private let listeners = Locked<[UUID: Listener]>([:])

    func watch(_ subject: Subject) -> AsyncStream<Void> {
        let (stream, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        listeners.withLock { $0[id] = Listener(subject: subject, signal: signal) }
        signal.onTermination = { [weak self] _ in self?.listeners.withLock { $0[id] = nil } }
        return stream
    }

    func tell(_ subjects: Set<Subject>) {
        let signals = listeners.withLock { listeners in
            listeners.values.filter { subjects.contains($0.subject) }.map(\.signal)
        }
        for signal in signals { signal.yield() }
    }
}
