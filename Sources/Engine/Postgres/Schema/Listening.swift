import SwiftletEventLoop

/// A connection that listens for notifications, until it is closed.
package final class Listening: Sendable {
    private let listener: LoopBound<NotificationListener>
    private let observation: PrimaryFence.Observation?

    init(_ listener: LoopBound<NotificationListener>, leavingPrimariesBy fence: PrimaryFence? = nil) {
        self.listener = listener
        observation = fence?.observe { newest in
            listener.loop.execute { listener.value.leavePrimary(before: newest) }
        }
    }

    func start() { listener.loop.execute { [listener] in listener.value.start() } }

    package func close() { listener.loop.execute { [listener] in listener.value.close() } }
}
