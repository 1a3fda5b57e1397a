import Synchronization

/// What is counted for the metrics, on all loops together.
final class RealtimeCounters: Sendable {
    private let sockets = Atomic(0)
    private let channels = Atomic(0)
    private let messages = Atomic(0)
    private let refusedJoins = Atomic(0)

    /// False when there are `maximum` already.
    func socketOpened(maximum: Int) -> Bool {
        guard sockets.add(1, ordering: .relaxed).newValue <= maximum else {
            socketClosed()
            return false
        }
        return true
    }

    func socketClosed() { sockets.subtract(1, ordering: .relaxed) }
    func channelJoined() { channels.add(1, ordering: .relaxed) }
    func channelLeft() { channels.subtract(1, ordering: .relaxed) }
    func messageReceived() { messages.add(1, ordering: .relaxed) }
    func joinRefused() { refusedJoins.add(1, ordering: .relaxed) }

    var values: RealtimeStatistics {
        RealtimeStatistics(
            sockets: sockets.load(ordering: .relaxed),
            channels: channels.load(ordering: .relaxed),
            messages: messages.load(ordering: .relaxed),
            refusedJoins: refusedJoins.load(ordering: .relaxed)
        )
    }
}

/// Sockets and channels that are open, and messages and refused joins since the start.
package struct RealtimeStatistics: Sendable {
    package let sockets: Int
    package let channels: Int
    package let messages: Int
    package let refusedJoins: Int
    /// Other servers that this one hears.
    package var peers = 0
    package var isBusConnected = false
    /// What other servers have missed.
    package var lost = 0
}
