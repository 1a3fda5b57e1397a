import SwiftletEventLoop

/// A connection that listens for notifications, until it is closed.
package final class Listening: Sendable {
    private let listener: LoopBound<NotificationListener>

    init(_ listener: LoopBound<NotificationListener>) { self.listener = listener }

    func start() { listener.loop.execute { [listener] in listener.value.start() } }

    package func close() { listener.loop.execute { [listener] in listener.value.close() } }
}
